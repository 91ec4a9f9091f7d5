import { formatCount, pluralize } from "../util/counts.js";
import { groupBy } from "../util/groupBy.js";
import { clip, escapedLines } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { tableLines } from "../util/tableLines.js";
import type { CorpusInfo } from "./corpusInfo.js";

/** A row of the table of searches, or of a plan: one search in one window. */
export type WindowRow = Readonly<Record<string, unknown>>;

export const MAX_SEARCH = 60;

export function corpusText(info: CorpusInfo, runs: readonly WindowRow[], windows: readonly WindowRow[]): string {
  return escapedLines([...infoLines(info), ...runLines(runs), "", ...searchLines(windows)].join("\n")).trimEnd();
}

function infoLines({ dir, source, window, windows, bytes, retrieved, ...counts }: CorpusInfo): string[] {
  const split = window === null ? "" : ` by ${window}`;
  const days = retrieved === null ? "nothing fetched" : `fetched ${retrieved.first} to ${retrieved.last}`;
  const missing = [
    ...(windows.done === windows.total ? [] : [pluralize(windows.total - windows.done, "window")]),
    ...(counts.lookupsMissing === 0 ? [] : [pluralize(counts.lookupsMissing, "lookup")]),
  ].join(" and ");
  return [
    `${dir}: ${clip(source, 200)}`,
    `${pluralize(counts.searches, "search", "searches")}${split}, ${windows.done} of ${pluralize(windows.total, "window")}, ${days}`,
    `${tablesText(counts)}, ${(bytes / 1e6).toFixed(1)} MB`,
    ...(missing === "" ? [] : [`missing: ${missing}; await corpus.build() fetches them`]),
    ...counts.failed.map(({ query, code, message }) => `failed: ${clip(query, MAX_SEARCH)} (${code}): ${message}`),
    ...(counts.withoutId === 0 ? [] : [`${pluralize(counts.withoutId, "row")} without an id`]),
    ...(counts.repeatedIds === 0 ? [] : [`${pluralize(counts.repeatedIds, "row")} with the id of another one`]),
  ];
}

function runLines(runs: readonly WindowRow[]): string[] {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const { verb, began, verdict } = last;
  const requests = (some: readonly WindowRow[]) => pluralize(sum(some.map((run) => Number(run.requests))), "request");
  const all = runs.length === 1 ? "" : `; all ${formatCount(runs.length)} runs: ${requests(runs)}`;
  return [`last run: ${verb} of ${began}, ${verdict ?? "not ended"}, ${requests([last])}${all}`];
}

export function searchLines(windows: readonly WindowRow[]): string[] {
  return tableLines(
    bySearch(windows).map((own) => {
      const fetched = own.filter(({ retrieved }) => retrieved !== null);
      const days = fetched.map(({ retrieved }) => String(retrieved)).sort();
      return {
        search: searchText(own[0] as WindowRow),
        windows: `${fetched.length}/${own.length}`,
        rows: formatCount(sum(fetched.map(({ rows }) => Number(rows)))),
        retrieved: days[0] ?? null,
      };
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

/** The windows of each search, in the order of the searches. */
function bySearch(windows: readonly WindowRow[]): WindowRow[][] {
  return [...groupBy(windows, ({ search }) => search).values()];
}

function searchText({ parameters }: WindowRow): string {
  return parametersText(JSON.parse(String(parameters)));
}

/** The parameters of a search, the query first and the days last: `"cost of living" Speech 2021-01-01 2022-12-31`. */
function parametersText(parameters: Readonly<Record<string, string>>): string {
  const { query = "", mindate = "", maxdate = "", ...rest } = parameters;
  const parts = [query, ...Object.values(rest), mindate, maxdate];
  return clip(parts.filter((part) => part !== "").join(" "), MAX_SEARCH);
}

/** Rows with days as yyyy-mm-dd. */
export function windowRows(rows: readonly WindowRow[]): readonly WindowRow[] {
  const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, dayOf(value)])));
}
