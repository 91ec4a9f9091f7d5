import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { PolarsFrame } from "../../src/index.js";
import { CLUSTERED, mentions } from "../text/frames.js";
import { baselineCalls } from "./calls.js";

type Row = Readonly<Record<string, string | number | bigint | null>>;

const read = (name: string) => gunzipSync(readFileSync(new URL(name, import.meta.url))).toString();
const rows = read("mentions.jsonl.gz")
  .split("\n")
  .map((line) => JSON.parse(line) as Record<string, unknown>);
const clustered = CLUSTERED.map(({ personid, party, words, count }) => {
  return { personid, party, text: "tax ".repeat(count) + "x ".repeat(words - count) };
});
const expected = JSON.parse(read("text.json.gz")) as Readonly<Record<string, Row[]>>;
const calls = baselineCalls(mentions(clustered), mentions(rows));

/** Bounds of intervals, and what is computed from their variance. */
const OF_INTERVALS = /_low$|_high$|^low$|^high$|^p$|^p_adjusted$|^deff$/;
/** Columns that every result keeps. */
const REQUIRED = new Set("rate low high count denominator difference ratio p term pattern log_ratio z".split(" "));
/** Described, not measured: the columns that may be worded anew or leave. */
const UNCOMPARED = new Set(["sentence", "effective_clusters", "largest_share"]);
/** Of fewer effective clusters, intervals came from the jackknife. */
const LINEARISED = 25;
/** Calls without clusters took matches as independent, which speakers who repeat themselves are not: now they have no interval. */
const INDEPENDENT = / false /;

it.each(Object.keys(calls))("%s gives the numbers of 7b6cb03b", async (name) => {
  const found = (await (calls[name] as () => Promise<PolarsFrame>)()).toRecords() as Row[];
  const before = expected[name] as Row[];
  expect(found).toHaveLength(before.length);
  const isLinearised =
    !INDEPENDENT.test(name) &&
    before.every(({ effective_clusters: clusters }) => Number(clusters ?? LINEARISED) >= LINEARISED);
  for (const [at, row] of before.entries()) {
    for (const [column, value] of Object.entries(row)) {
      if (UNCOMPARED.has(column) || (OF_INTERVALS.test(column) && !isLinearised)) continue;
      const now = found[at]?.[column];
      if (REQUIRED.has(column)) expect(now, column).toBeDefined();
      const wanted = typeof value === "number" ? expect.closeTo(value, 9) : value;
      if (now !== undefined)
        expect(typeof now === "bigint" ? Number(now) : now, `${column} of row ${at}`).toEqual(wanted);
    }
  }
});
