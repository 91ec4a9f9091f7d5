import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../src/index.js";
import { reairings } from "../../src/text/index.js";
import { LONG, runs } from "../scale.js";
import { Corpus, mentionRow, truthOf } from "../tools/truth.js";
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
    const once = marked.filter(pl.col("first"));
    expect([once.height, once.getColumn("length").sum()]).toEqual([5, 300]);
  });

  it.each([
    [40, "one two three four five six seven eight nine ten eleven twelve"],
    [201, SPEECH],
    [500, "I yield back the balance of my time"],
  ])("of %i identical passages are one cluster: %j", async (copies, text) => {
    const day = (at: number) => new Date(Date.UTC(2024, 0, 1) + at * 3_600_000).toISOString();
    const rows = Array.from({ length: copies }, (_, at) => speech({ text, begintime: day(at) }));
    const marked = await reairings(mentions(rows));
    expect(new Set(marked.getColumn("cluster").toArray())).toEqual(new Set(["m0"]));
    expect([...marked.getColumn("first").toArray()].filter(Boolean)).toHaveLength(1);
  });

  it("are counted from the first broadcast: a speech of every year makes no chain", async () => {
    const years = [2020, 2021, 2022, 2023].map((year) => speech({ begintime: `${year}-05-01T00:00:00Z` }));
    const marked = await reairings(mentions(years));
    expect(marked.getColumn("cluster").toArray()).toEqual(["m0", "m0", "m2", "m2"]);
  });

  it("leave rows without an id alone, whatever they say", async () => {
    const rows = [3, 1, 2].map((day) =>
      speech({ begintime: `2024-05-0${day}T00:00:00Z`, ...(day === 1 && { id: null }) }),
    );
    const marked = await reairings(mentions(rows));
    expect(marked.getColumn("cluster").toArray()).toEqual(["m2", null, "m2"]);
    expect(marked.getColumn("first").toArray()).toEqual([false, true, true]);
  });

  it("are those that comparing every mention with every other one finds", async () => {
    const word = fc.constantFrom(..."abcdefgh");
    const texts = fc.array(fc.array(word, { minLength: 6, maxLength: 12 }), { minLength: 2, maxLength: 4 });
    const row = fc.record({
      text: fc.nat(3),
      from: fc.nat(3),
      day: fc.nat(800),
      personid: fc.constantFrom(5, 6, 999_999),
      hasId: fc.integer({ max: 9, min: 0 }).map((draw) => draw > 0),
      hasTime: fc.integer({ max: 9, min: 0 }).map((draw) => draw > 0),
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.array(row, { minLength: 2, maxLength: 30 }), async (said, drawn) => {
        const rows = drawn.map(({ text, from, day, personid, hasId, hasTime }, at) => ({
          id: hasId ? `m${at}` : null,
          personid,
          person: null,
          begintime: hasTime ? new Date(Date.UTC(2024, 0, 1 + day)).toISOString() : null,
          text: (said[text % said.length] as string[]).slice(from).join(" "),
        }));
        const marked = await reairings(mentions(rows), { overlap: 0.6 });
        expect(marked.getColumn("cluster").toArray()).toEqual(bruteForce(rows, 0.6));
      }),
      { seed: 5, numRuns: runs(120, 20_000) },
    );
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
      const repeated = (ids ?? [])
        .map((id, row) => [id, clusters?.[row]])
        .filter((_pair, row) => firsts?.[row] !== true);
      const correct = repeated.filter(([id, cluster]) => truth.get(id as string) === cluster).length;
      expect(correct / repeated.length).toBeGreaterThan(precision);
      expect(correct / truth.size).toBeGreaterThan(recall);
    },
  );

  it("refuse an overlap of 0", async () => {
    await expect(reairings(mentions([]), { overlap: 0 })).rejects.toThrow("invalid overlap: 0");
  });
});

interface Row {
  readonly id: string | null;
  readonly personid: number;
  readonly begintime: string | null;
  readonly text: string;
}

/** The clusters by definition: in the order of time, every mention is compared with all mentions of all clusters. */
function bruteForce(rows: readonly Row[], overlap: number): (string | null)[] {
  const sequences = rows.map(({ text }) => {
    const words = text.split(" ");
    return words.length < 8 ? [] : words.slice(4).map((_word, at) => words.slice(at, at + 5).join(" "));
  });
  const byText = new Map(rows.map(({ id, text }, at) => [id === null ? "" : text, new Set(sequences[at])]));
  const different = [...byText.values()];
  const weight = (sequence: string) => 1 / Math.max(10, different.filter((each) => each.has(sequence)).length);
  const sum = (all: Iterable<string>) => [...all].reduce((total, each) => total + weight(each), 0);
  const share = (a: number, b: number) => {
    const [one, other] = [new Set(sequences[a]), new Set(sequences[b])];
    const common = sum([...one].filter((each) => other.has(each)));
    return common < 0.22 - 1e-6 ? 0 : common / Math.min(sum(one), sum(other));
  };
  const time = (at: number) => Date.parse(rows[at]?.begintime ?? "9999-01-01T00:00:00Z");
  const clusters: number[][] = [];
  for (const at of rows.map((_row, index) => index).sort((a, b) => time(a) - time(b) || a - b)) {
    if (rows[at]?.id === null || sequences[at]?.length === 0) continue;
    const speakers = (cluster: number[]) =>
      new Set([at, ...cluster].map((each) => rows[each]?.personid).filter((id) => id !== 999_999));
    const found = clusters
      .filter((cluster) => speakers(cluster).size <= 1)
      .filter(([first = 0]) => rows[at]?.begintime === null || time(at) - time(first) <= 366 * 86_400_000)
      .map((cluster) => ({ cluster, best: Math.max(...cluster.map((each) => share(at, each))) }))
      .filter(({ best }) => best >= overlap - 1e-6)
      .sort((a, b) => (Math.abs(a.best - b.best) < 1e-6 ? 0 : b.best - a.best))[0];
    if (found === undefined) clusters.push([at]);
    else found.cluster.push(at);
  }
  return rows.map(({ id }, at) => {
    const first = clusters.find((cluster) => cluster.includes(at))?.[0];
    return id === null || first === undefined ? id : (rows[first] as Row).id;
  });
}
