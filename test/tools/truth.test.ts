import { describe, expect, test } from "vitest";
import { type BillTruth, Corpus, mentionRow, type SpeechTruth, scoreSpeeches, truthOf } from "./truth.js";

const corpus = new Corpus(1, 12_000);
const truth = truthOf(corpus);
/** The text of a mention with single spaces, in lower case. */
const texts = new Map(
  corpus.mentions.map((mention) => [String(mention.id), mentionRow(mention).text.toLowerCase().replace(/\s+/g, " ")]),
);
const rows = new Map(corpus.mentions.map((mention) => [String(mention.id), mentionRow(mention)]));
const congressOf = new Map(corpus.mentions.map((mention) => [String(mention.id), mention.program.congress]));
const all = truth.bills.flatMap((bill) => bill.speeches.map((speech) => ({ bill, speech })));
const titleOf = ({ title }: BillTruth) => title.toLowerCase();
const text = ({ id }: { id: string }) => texts.get(id) ?? expect.unreachable(`no mention ${id}`);
const count = <T>(list: readonly T[], accepts: (item: T) => boolean) => list.filter(accepts).length;

/** The digits after one of the usual prefixes, and nothing after them. */
const PREFIXES: Record<BillTruth["kind"], string> = {
  hr: "(?:h\\.r\\. ?|hr |h r |house bill )",
  s: "(?:s\\. ?|s |senate bill )",
  hres: "(?:house resolution |h\\. res\\. |h res )",
  sres: "(?:senate resolution |s\\. res\\. |s res )",
  hjres: "(?:house joint resolution |h\\.j\\. res\\. |hj res |h j res )",
  sjres: "(?:senate joint resolution |s\\.j\\. res\\. |sj res |s j res )",
  hconres: "(?:house concurrent resolution |h\\. con\\. res\\. |h con res )",
  sconres: "(?:senate concurrent resolution |s\\. con\\. res\\. |s con res )",
  hamdt: "(?:(?:house )?amendment (?:number |no\\. )?|h\\. amdt\\. )",
  samdt: "(?:(?:senate )?amendment (?:number |no\\. )?|s\\. amdt\\. )",
};
const numberOf = ({ kind, number }: BillTruth) => new RegExp(`\\b${PREFIXES[kind]}${number.replace(/\D/g, "")}(?!\\d)`);

describe("the truth of the embedded archive", () => {
  test("easy speeches say title or number as they are", () => {
    const easy = all.filter(({ speech }) => speech.hard.every((hard) => hard === "unidentified speaker"));
    expect(easy.length).toBeGreaterThan(3_000);
    for (const { bill, speech } of easy) {
      expect(["title", "number", "both"]).toContain(speech.named);
      if (speech.named !== "number") expect(text(speech)).toContain(titleOf(bill));
      if (speech.named !== "title") expect(text(speech)).toMatch(numberOf(bill));
    }
  });

  test("speeches are given in the Congress of the bill, and no decoy of a bill is a speech on it", () => {
    for (const bill of truth.bills) {
      const ids = new Set(bill.speeches.map(({ id }) => id));
      expect(ids.size).toBe(bill.speeches.length);
      for (const id of ids) expect(congressOf.get(id)).toBe(bill.congress);
      for (const { id } of bill.decoys) expect(ids.has(id)).toBe(false);
    }
  });

  test("companions share the speeches that say the title only", () => {
    const isAct = ({ kind }: BillTruth) => kind === "hr" || kind === "s";
    const pairs = truth.bills.filter(isAct).flatMap((bill) => {
      const same = (other: BillTruth) => isAct(other) && other.title === bill.title && other.congress === bill.congress;
      return bill.kind === "hr"
        ? truth.bills.filter((other) => other !== bill && same(other)).map((other) => [bill, other])
        : [];
    });
    expect(pairs.length).toBe(40);
    const titled = (bill?: BillTruth) =>
      new Set(bill?.speeches.filter(({ named }) => named === "title").map(({ id }) => id));
    for (const [one, other] of pairs) expect(titled(one)).toEqual(titled(other));
  });

  test("speakers are those of the rows where a row has an id, and known in truth where it has none", () => {
    const roles = new Set<string>();
    for (const { speech } of all) {
      const { speaker } = speech;
      const row = rows.get(speech.id);
      roles.add(speaker.role);
      expect(speaker.identified).toBe(row?.personid !== undefined && row.personid !== 999999);
      if (speaker.identified) expect(row?.personid).toBe(speaker.personid);
      expect(speaker.member).toBe(speaker.chamber !== null);
      expect(speaker.title.includes("U.S. Senator")).toBe(speaker.chamber === "senate");
    }
    expect([...roles].sort()).toEqual(
      ["caller", "clerk", "host", "presiding officer", "representative", "senator", "witness"].sort(),
    );
    const nameless = all.filter(({ speech }) => !speech.speaker.identified && speech.speaker.role === "senator");
    const named = ({ speech }: { speech: SpeechTruth }) => rows.get(speech.id)?.person.includes(speech.speaker.name);
    expect(count(nameless, (one) => named(one) === true) / nameless.length).toBeGreaterThan(0.4);
  });
});

describe("scoreSpeeches", () => {
  const speech = (id: string, videotype = "Speech") => ({ id, videotype }) as SpeechTruth;
  const bill = { speeches: [speech("1"), speech("2", "Debate"), speech("3"), speech("4", "Hearing")] };

  test("counts what is found, what is right, and each id once", () => {
    const score = { expected: 3, found: 3, correct: 2, recall: 2 / 3, precision: 2 / 3 };
    expect(scoreSpeeches([{ bill, ids: ["1", "2", "2", "9"] }])).toEqual(score);
  });

  test("speeches of all bills count alike; nothing expected and nothing found is perfect, nothing right is 0", () => {
    const one = { bill: { speeches: [speech("7")] }, ids: ["7"] };
    expect(scoreSpeeches([{ bill, ids: [] }, one])).toMatchObject({ recall: 0.25, precision: 1 });
    expect(scoreSpeeches([])).toMatchObject({ recall: 1, precision: 1 });
    expect(scoreSpeeches([{ bill, ids: ["9"] }])).toMatchObject({ recall: 0, precision: 0 });
  });
});
