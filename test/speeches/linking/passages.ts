import { ArchiveClient, provenanceOf } from "../../../src/index.js";
import { KEY } from "../../service/helpers.js";
import { words } from "../../tools/embedded.js";
import type { LabelledBill } from "../labelled.js";
import { senator, speech, startSpeechServer } from "../speechServer.js";
import { figuresOf, type LinkingFigures, type LinkingResult } from "./linking.js";
import passages from "./passages.json" with { type: "json" };

/**
 * Passages labelled by hand, in the ways in which bills are said and captioned. Nothing was developed on `heldOut`: look at its figures only.
 * `rows`: bills as GET /bills lists them, whose titles lost letters, and passages that hardly ever have title and number.
 */
export const PASSAGES: Readonly<Record<"development" | "heldOut" | "rows", readonly LabelledBill[]>> = passages;

/** How a service may split captions and queries into words. What it takes for the same word decides what a phrase finds. */
export const INDEXES = {
  /** As the embedded archive: possessives and thousands separators are left out. */
  embedded: words,
  /** Word boundaries of Unicode: "act's", "h.r" and "5,376" are words, "H.R.5376" is two. */
  unicode: (text: string): readonly string[] =>
    text.toLowerCase().match(/[a-z]+(?:[.'’][a-z]+|\d+)*|\d+(?:[.,]\d+|[a-z]+)*/g) ?? [],
  /** White space, without the punctuation around a word: "h.r.5376" is one. */
  spaces: (text: string): readonly string[] =>
    text
      .toLowerCase()
      .split(/\s+|--|>>/)
      .map((word) => word.replace(/^[^a-z\d]+|[^a-z\d]+$/g, ""))
      .filter(Boolean),
};

const TYPES: Readonly<Record<string, number>> = { Speech: 16, Debate: 18 };
const HEARING = 9;
const SPEAKERS = 4;

/** The same bills as rows of GET /bills: without the prefix of the number. */
export function asRows(bills: readonly LabelledBill[]): LabelledBill[] {
  return bills.map((labelled) => {
    if ("billtitle" in labelled.bill) return labelled;
    const { title = "", number = "", congress } = labelled.bill;
    return { ...labelled, bill: { billtitle: title, billnumber: number.replace(/\D/g, ""), link: "", congress } };
  });
}

/** Finds the passages on each bill, in an archive of its own that has a hearing, too, and with a client of its own. */
export async function findPassages(
  bills: readonly LabelledBill[],
  index: keyof typeof INDEXES,
): Promise<LinkingFigures> {
  const results: LinkingResult[] = [];
  for (const labelled of bills) results.push(await find(labelled, INDEXES[index]));
  return figuresOf(results);
}

async function find({ bill, about, notAbout }: LabelledBill, split: (text: string) => readonly string[]) {
  const begintime = `${1790 + (bill.congress - 1) * 2}-03-01T15:00:00Z`;
  const words = (text: string) => ` ${split(text).join(" ")} `;
  const mentions = [...about, ...notAbout, about[0] as string].map((text, at, { length }) => {
    const videoTypeId = at === length - 1 ? HEARING : at % 3 === 0 ? TYPES.Debate : TYPES.Speech;
    return { words: words(text), videoTypeId, row: speech(at, (at % SPEAKERS) + 1, { text, begintime, videoTypeId }) };
  });
  await using server = await startSpeechServer({
    found: (query, type) =>
      mentions
        .filter((one) => one.words.includes(words(query)) && (type === "" || one.videoTypeId === TYPES[type]))
        .map(({ row }) => row),
    people: Object.fromEntries([1, 2, 3, 4].map((id) => [id, senator(id)])),
  });
  await using archive = new ArchiveClient({ apiKey: KEY, baseUrl: server.baseUrl, progress: false });
  const frame = await archive.speechesOnBill(bill as { title: string }, { chamber: "any" });
  const speeches = about.map((_text, at) => ({ id: String(at), named: "both", hard: [], videotype: "Speech" }));
  const task = { given: bill, bill: { speeches }, ignored: new Set() } as unknown as LinkingResult["task"];
  const requests = provenanceOf(frame)?.requests ?? Number.NaN;
  return { task, ids: frame.getColumn("id").toArray() as string[], requests };
}
