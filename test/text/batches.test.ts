import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolarsFrame } from "../../src/index.js";
import { scansOf } from "../../src/scan/scans.js";
import { collocations, keyness, kwic, rates, reairings, type TextSource, terms } from "../../src/text/index.js";
import { runs } from "../scale.js";
import { memoryService } from "../scan/memoryService.js";
import { allOf } from "../scan/pagedServer.js";

type Json = null | undefined | number | boolean | string | readonly number[];

/** Values that JSON has in a column whose type widens from row to row. */
const PHASES: Readonly<Record<string, (at: number) => Json>> = {
  ints: (at) => at % 3,
  floats: (at) => (at % 2 === 0 ? 0.5 : 2),
  texts: (at) => (at % 2 === 0 ? "1" : "x"),
  bools: (at) => at % 2 === 0,
  dates: (at) => `2024-01-0${1 + (at % 2)}T00:00:00Z`,
  lists: (at) => [at % 2],
  nulls: () => null,
  absent: () => undefined,
};

const column = fc.tuple(fc.constantFrom(...Object.keys(PHASES)), fc.constantFrom(...Object.keys(PHASES)), fc.nat(40));

const cases = fc.record({
  count: fc.integer({ min: 1, max: 40 }),
  // `length` is declared as an integer; the service has not declared `mood`, which comes with the first row.
  length: column,
  mood: column.map(([first, then, from]) => [first === "absent" ? "ints" : first, then, from + 1] as const),
  begintime: fc.tuple(fc.constantFrom("dates", "nulls"), fc.constantFrom("dates", "texts", "ints"), fc.nat(40)),
  most: fc.integer({ min: 1, max: 20 }),
  batchSize: fc.integer({ min: 1, max: 20 }),
});

const cellOf = ([first, then, from]: readonly [string, string, number], at: number) =>
  (PHASES[at < from ? first : then] as (at: number) => Json)(at);

const WORDS = ["tax", "cut", "tax", "levy", "tea"];

const comparable = (frame: PolarsFrame) => ({
  columns: frame.columns,
  dtypes: frame.dtypes.map(String),
  rows: frame.rows(),
});

/** The labels of a column of mixed JSON values, without its frame. @param declared the type that the service declares, if any */
function labelsOf(values: readonly Json[], declared: readonly string[] = []): readonly unknown[] {
  const present = values.filter((value) => value !== null && value !== undefined);
  const types = new Set([...declared, ...present.map((value) => (Array.isArray(value) ? "list" : typeof value))]);
  const isOneType = types.size === 1 && !types.has("list");
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    return isOneType ? value : typeof value === "string" ? value : JSON.stringify(value);
  });
}

const own = { baseline: "own rows" } as const;
const functionsWith = (frame: PolarsFrame): Readonly<Record<string, (source: TextSource) => Promise<PolarsFrame>>> => ({
  terms: (source) => terms(source, { by: ["length", "mood"] }),
  rates: (source) => rates(source, ["tax", "te*"], { by: "mood", ...own }),
  "rates by month": (source) => rates(source, "tax", { by: ["month", "length"], per: "mention", ...own }),
  kwic: (source) => kwic(source, "tax", { by: ["length", "week"] }),
  keyness: (source) => keyness(source, frame, { min: 1 }),
  collocations: (source) => collocations(source, { min: 1, once: true }),
  reairings: (source) => reairings(source),
});

describe("a scan, its batches and its frame have the same words", () => {
  it("for columns that widen, and any page and batch size", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, length, mood, begintime, most, batchSize }) => {
        const rows = [...Array(count).keys()].map((at) => ({
          id: String(at),
          personid: 1 + (at % 4),
          programid: at % 3,
          text: at % 9 === 8 ? null : [0, 1, 2].map((word) => WORDS[(at * word) % WORDS.length]).join(" "),
          begintime: cellOf(begintime, at),
          length: cellOf(length, at),
          mood: cellOf(mood, at),
        }));
        const lines = rows.map((row) => JSON.stringify(row));
        const { client } = memoryService(lines, most);
        const scan = scansOf<"polars">(client).mentions("x");
        const frame = await scan.collect();
        const batches = await allOf(scan.batches({ batchSize }));
        const sources = { scan: () => scan, batches: () => scan.batches({ batchSize }), frames: () => batches };
        for (const [name, run] of Object.entries(functionsWith(frame))) {
          const wanted = comparable(await run(frame));
          for (const [way, source] of Object.entries(sources)) {
            expect([name, way, comparable(await run(source()))]).toEqual([name, way, wanted]);
          }
        }
        const expected = new Map<string, number>();
        const labels = (name: "length" | "mood", declared?: string[]) =>
          labelsOf(
            rows.map((row) => row[name]),
            declared,
          );
        const [lengths, moods] = [labels("length", ["number"]), labels("mood")];
        rows.forEach(({ text }, at) => {
          for (const word of text?.split(" ") ?? []) {
            const key = JSON.stringify([lengths[at], moods[at], word]);
            expected.set(key, (expected.get(key) ?? 0) + 1);
          }
        });
        const found = (await terms(scan, { by: ["length", "mood"] })).toRecords();
        const counts = found.map((row) => [JSON.stringify([row.length, row.mood, row.term]), row.count] as const);
        expect(new Map(counts)).toEqual(expected);
      }),
      { numRuns: runs(5, 100) },
    );
  });

  it("and of none", async () => {
    const { client } = memoryService([], 20);
    const scan = scansOf<"polars">(client).mentions("x");
    const frame = await scan.collect();
    // No row has a mood.
    const { terms: _terms, rates: _rates, ...functions } = functionsWith(frame);
    for (const run of Object.values(functions))
      for (const source of [scan, [], [frame, frame], frame.lazy()])
        expect((await run(source)).columns).toEqual((await run(frame)).columns);
  });
});
