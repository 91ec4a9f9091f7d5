import { formatCount, pluralize } from "../util/counts.js";
import { clip, escapedLines } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { tableLines } from "../util/tableLines.js";
import type { CorpusInfo } from "./corpusInfo.js";

/** A row of a table of the corpus. */
export type TableRow = Readonly<Record<string, unknown>>;

export const MAX_SEARCH = 60;

/** The corpus in words: its tables, what is missing, what its runs took, and how far each search is. */
export function corpusText(info: CorpusInfo, runs: readonly TableRow[], searches: readonly TableRow[]): string {
  return escapedLines([...infoLines(info), ...runLines(runs), "", ...searchLines(searches)].join("\n")).trimEnd();
}

function infoLines({ dir, source, window, windows, bytes, retrieved, failed, ...counts }: CorpusInfo): string[] {
  const split = window === null ? "" : ` by ${window}`;
  const days = retrieved === null ? "nothing fetched" : `fetched ${retrieved.first} to ${retrieved.last}`;
  const missing = pluralize(windows.total - windows.done, "window");
  return [
    `${dir}: ${clip(source, 200)}`,
    `${pluralize(counts.searches, "search", "searches")}${split}, ${windows.done} of ${pluralize(windows.total, "window")}, ${days}`,
    `${tablesText(counts)}, ${(bytes / 1e6).toFixed(1)} MB`,
    ...(windows.done === windows.total ? [] : [`missing: ${missing}; await corpus.build() fetches them`]),
    ...failed.map(({ query, code, message }) => `failed: ${clip(query, MAX_SEARCH)} (${code}): ${message}`),
  ];
}

function runLines(runs: readonly TableRow[]): string[] {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const { verb, began, verdict } = last;
  const requests = (some: readonly TableRow[]) => pluralize(sum(some.map((run) => Number(run.requests))), "request");
  const all = runs.length === 1 ? "" : `; all ${formatCount(runs.length)} runs: ${requests(runs)}`;
  return [`last run: ${verb} of ${began}, ${verdict ?? "not ended"}, ${requests([last])}${all}`];
}

export function searchLines(searches: readonly TableRow[]): string[] {
  return tableLines(
    searches.map(({ parameters, windows, done, rows, retrieved }) => {
      const search = parametersText(JSON.parse(String(parameters)));
      return { search, windows: `${done}/${windows}`, rows: formatCount(Number(rows)), retrieved };
    }),
  );
}

export function tablesText({ mentions, hits, people, programs }: CorpusTables): string {
  return [
    pluralize(mentions, "mention"),
    pluralize(hits, "hit"),
    pluralize(people, "person", "people"),
    pluralize(programs, "program"),
  ].join(", ");
}

type CorpusTables = Pick<CorpusInfo, "mentions" | "hits" | "people" | "programs">;

/** The parameters of a search, the query first and the days last: `"cost of living" Speech 2021-01-01 2022-12-31`. */
function parametersText(parameters: Readonly<Record<string, string>>): string {
  const { query = "", mindate = "", maxdate = "", ...rest } = parameters;
  const parts = [query, ...Object.values(rest), mindate, maxdate];
  return clip(parts.filter((part) => part !== "").join(" "), MAX_SEARCH);
}

/** Rows with days as yyyy-mm-dd. */
export function tableRows(rows: readonly TableRow[]): readonly TableRow[] {
  const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, dayOf(value)])));
}
