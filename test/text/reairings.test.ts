import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../src/frames/toDataFrame.js";
import { reairings, summarizeReairings } from "../../src/text/index.js";
import { Corpus, mentionRow, truthOf } from "../embedded/truth.js";
import { LONG } from "../scale.js";
import { mentions } from "./frames.js";

const SPEECH =
  "The bridge on the river road is closed again, and nine thousand people drive twenty miles to work every day.";
const speech = (members: Record<string, unknown>) => ({
  personid: 5,
  person: "Ann Lee",
  text: SPEECH,
  length: 60,
  ...members,
});

describe("re-airings", () => {
  it("of the same speaker and words are marked, and nothing is dropped", async () => {
    const frame = mentions([
      speech({ begintime: "2024-05-02T00:00:00Z", text: SPEECH.toUpperCase().replace("RIVER ", "RIVER\n") }),
      speech({ begintime: "2024-05-01T00:00:00Z" }),
      speech({ begintime: "2024-05-03T00:00:00Z", text: SPEECH.slice(40), length: 20 }),
      speech({ begintime: "2024-05-03T00:00:00Z", personid: 999_999, person: "Ann Lee,Mayor" }),
      speech({ begintime: "2024-05-04T00:00:00Z", personid: 6, person: "Bo Day" }),
      speech({ begintime: "2026-05-04T00:00:00Z" }),
      speech({ begintime: "2024-05-05T00:00:00Z", text: "I yield back." }),
      speech({ begintime: "2024-05-06T00:00:00Z", text: null }),
    ]);
    const marked = await reairings(frame);
    expect(marked.columns).toEqual([...frame.columns, "cluster", "first"]);
    expect(marked.select(...frame.columns).frameEqual(frame, true)).toBe(true);
    expect(marked.getColumn("cluster").toArray()).toEqual(["m1", "m1", "m1", "m1", "m4", "m5", "m6", "m7"]);
    expect(marked.getColumn("first").toArray()).toEqual([false, true, false, false, true, true, true, true]);
    expect((await reairings(frame, { days: 3000 })).getColumn("cluster").toArray()[5]).toBe("m1");
    expect((await summarizeReairings(marked, { by: "personid" })).toRecords()[0]).toEqual({
      personid: 999_999,
      mentions: 1,
      first_mentions: 0,
      seconds: 60,
      first_seconds: 0,
      repeated: 1,
    });
    expect((await summarizeReairings(marked)).toRecords()).toEqual([
      { mentions: 8, first_mentions: 5, seconds: 440, first_seconds: 300, repeated: 0.375 },
    ]);
  });

  it("are summarized in the order of time, rows without a time last", async () => {
    const days = [null, "2025-05-02T00:00:00Z", "2025-05-03T00:00:00Z", "2020-05-01T00:00:00Z"];
    const marked = await reairings(mentions(days.map((begintime) => speech({ begintime }))));
    const years = (await summarizeReairings(marked, { by: "year" })).toRecords();
    expect(years.map(({ year, repeated }) => [(year as Date | null)?.getUTCFullYear(), repeated])).toEqual([
      [2020, 0],
      [2025, 0.5],
      [undefined, 1],
    ]);
  });

  const CORPORA: readonly (readonly [seed: number, size: number, precision: number, recall: number])[] = LONG
    ? [
        [1, 30_000, 0.95, 0.92],
        [2, 10_000, 0.97, 0.95],
      ]
    : [[2, 4_000, 0.97, 0.95]];

  it.each(CORPORA)(
    "of the embedded archive, seed %i with %i mentions, are found with a precision above %d and a recall above %d",
    async (seed, size, precision, recall) => {
      const corpus = new Corpus(seed, size, { reairings: true });
      const truth = new Map(truthOf(corpus).reairings.map(({ id, of }) => [id, of]));
      expect(truth.size).toBeGreaterThan(size / 20);
      const marked = await reairings(toDataFrame(corpus.mentions.map(mentionRow), { operation: "mentions" }));
      const [ids, clusters, firsts] = ["id", "cluster", "first"].map((name) => [...marked.getColumn(name).toArray()]);
      const repeated = (ids ?? []).flatMap((id, row) =>
        firsts?.[row] === true ? [] : [[id, clusters?.[row]] as const],
      );
      const correct = repeated.filter(([id, cluster]) => truth.get(id as string) === cluster).length;
      expect(correct / repeated.length).toBeGreaterThan(precision);
      expect(correct / truth.size).toBeGreaterThan(recall);
    },
    120_000,
  );

  it("of the embedded archive come on top: all other mentions stay as they are", () => {
    const [plain, repeated] = [new Corpus(3, 2_000), new Corpus(3, 2_000, { reairings: true })];
    const copies = new Set(truthOf(repeated).reairings.map(({ id }) => id));
    expect(truthOf(plain).reairings).toEqual([]);
    const rows = repeated.mentions.map(mentionRow);
    expect(rows.filter(({ id }) => !copies.has(id))).toEqual(plain.mentions.map(mentionRow));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const begins = rows.map(({ begintime }) => begintime);
    expect(begins).toEqual(begins.toSorted().reverse());
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const { id, of } of truthOf(repeated).reairings) {
      expect((byId.get(of)?.begintime as string) <= (byId.get(id)?.begintime as string)).toBe(true);
    }
  });

  it.each([
    [{ overlap: 0 }, "invalid overlap: 0"],
    [{ days: -1 }, "invalid days: -1"],
  ])("refuse %j", async (options, message) => {
    await expect(reairings(mentions([]), options)).rejects.toThrow(message);
  });
});
