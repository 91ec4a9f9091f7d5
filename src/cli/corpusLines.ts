import type { CorpusCheck, CorpusInfo, CorpusPlan, CorpusSummary } from "../corpus/index.js";
import { formatCount, pluralize } from "../util/counts.js";
import { groupBy } from "../util/groupBy.js";
import { clip } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { tableLines } from "./print.js";

/** A row of the table of searches, or of a plan: one search in one window. */
export type WindowRow = Readonly<Record<string, unknown>>;

const MAX_SEARCH = 60;

/** The plan of a corpus: one line per search, and the sum. */
export function planLines(plan: CorpusPlan, windows: readonly WindowRow[]): string[] {
  const rows = bySearch(windows).map((own) => ({
    search: searchText(own[0] as WindowRow),
    windows: own.length,
    done: own.filter(({ done }) => done === true).length,
    counted: own.filter(({ done, rows: counted }) => done === false && counted !== null).length,
  }));
  const { requests, low, high, lookups, minutes, sent, counted } = plan;
  const about =
    low === high
      ? formatCount(requests)
      : `about ${formatCount(requests)} (${formatCount(low)} to ${formatCount(high)})`;
  const time = minutes === null ? "" : `, ${minutes < 10 ? minutes.toFixed(1) : formatCount(minutes)} minutes`;
  return [
    ...tableLines(rows),
    "",
    `${formatCount(plan.rows)} rows in ${pluralize(plan.windows, "window")}: ${about} requests, ${formatCount(lookups)} of them lookups${time}`,
    `${formatCount(counted)} windows were counted, with ${pluralize(sent, "request")}.`,
  ];
}

/** How far each search is: one line per search. */
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

/** How a run ended, and how to go on: one or two lines. */
export function summaryLines(summary: CorpusSummary, next: string): string[] {
  const { verdict, reason, requests, windows } = summary;
  const { added, changed, vanished, returned } = summary;
  const changes = Object.entries({ added, changed, vanished, returned }).filter(([, count]) => count > 0);
  const state = `${verdict}${reason === null ? "" : ` by ${reason}`}, ${windows.done} of ${pluralize(windows.total, "window")}`;
  const made = changes.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ") || "nothing new";
  const lines = [`${state}, ${pluralize(requests, "request")}: ${made}`, tablesText(summary)];
  lines.push(
    ...summary.failed.map(({ query, code, message }) => `FAILED  ${clip(query, MAX_SEARCH)} (${code}): ${message}`),
  );
  return verdict === "complete" ? lines : [...lines, `To continue, type: ${next}`];
}

/** What a corpus consists of. */
export function infoLines({ dir, source, window, windows, bytes, retrieved, ...counts }: CorpusInfo): string[] {
  const split = window === null ? "" : ` by ${window}`;
  const days = retrieved === null ? "nothing fetched" : `fetched ${retrieved.first} to ${retrieved.last}`;
  return [
    `${dir}: ${clip(source, 200)}`,
    `${pluralize(counts.searches, "search", "searches")}${split}, ${windows.done} of ${pluralize(windows.total, "window")}, ${days}`,
    `${tablesText(counts)}, ${(bytes / 1e6).toFixed(1)} MB`,
    ...(counts.withoutId === 0 ? [] : [`${pluralize(counts.withoutId, "row")} without an id`]),
    ...(counts.repeatedIds === 0 ? [] : [`${pluralize(counts.repeatedIds, "row")} with the id of another one`]),
  ];
}

export function checkLines({ ok, files, mentions, hits, problems }: CorpusCheck): string[] {
  const checked = `${pluralize(files, "file")}, ${pluralize(mentions, "mention")}, ${pluralize(hits, "hit")}`;
  if (ok) return [`ok  ${checked}`];
  return [
    ...problems.map((problem) => `PROBLEM  ${problem}`),
    `${pluralize(problems.length, "problem")} in ${checked}`,
  ];
}

function tablesText({ mentions, hits, people, programs }: CorpusTables): string {
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
export function parametersText(parameters: Readonly<Record<string, string>>): string {
  const { query = "", mindate = "", maxdate = "", ...rest } = parameters;
  const parts = [query, ...Object.values(rest), mindate, maxdate];
  return clip(parts.filter((part) => part !== "").join(" "), MAX_SEARCH);
}

/** The rows of a frame of windows, with days as yyyy-mm-dd. */
export async function windowRows(frame: object): Promise<readonly WindowRow[]> {
  const { toRecords } = await import("../index.js");
  const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return toRecords(frame).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, dayOf(value)])),
  );
}
