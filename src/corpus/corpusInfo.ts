import { basename } from "node:path";
import { deriveProvenance } from "../frames/lineage/derived.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { toRecords } from "../frames/toRecords.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { sum } from "../util/lists.js";
import type { Period } from "../util/period.js";
import { clip, escapedLines, pluralize } from "../util/text.js";
import type { TableName } from "./database/tables.js";
import { type Definition, readDefinition } from "./definition/definition.js";
import { windowsOf } from "./definition/windows.js";
import { readManifest, singleTable, tableOf } from "./publish/tableFiles.js";
import { type CorpusCounts, type FailedSearch, MAX_SEARCH, tablesText } from "./run/runOptions.js";

/** What a corpus consists of, and its progress. */
export interface CorpusInfo extends CorpusCounts {
  /** The directory of the corpus. */
  readonly dir: string;
  /** The service, as in provenance. */
  readonly source: string;
  /** How searches are split by date; null if they are not. */
  readonly window: Period | null;
  /** Number of searches. */
  readonly searches: number;
  /** Searches that failed when they were sent last. */
  readonly failed: readonly FailedSearch[];
  /** Number of the last run; 0 before the first. */
  readonly run: number;
  /** Size of the tables in bytes. */
  readonly bytes: number;
  /** The days on which the first and the last window was fetched, yyyy-mm-dd; null if none was. */
  readonly retrieved: { readonly first: string; readonly last: string } | null;
}

/** Describes a corpus by its tables. Sends no request. */
export function corpusInfo(dir: string): CorpusInfo {
  const definition = readDefinition(dir) as Definition;
  const { source, window = null, searches } = definition;
  const files = readManifest(dir);
  const count = (name: TableName) => sum(files.filter(({ path }) => tableOf(path) === name).map(({ rows }) => rows));
  const windows = toRecords(singleTable(dir, "windows"));
  const done = new Set(windows.filter(({ due }) => due === false).map((row) => `${row.search} ${row.request}`));
  const all = windowsOf(definition);
  const days = windows.flatMap(({ retrieved }) => dayOf(retrieved) ?? []).sort();
  return {
    dir,
    source,
    window,
    searches: searches.length,
    windows: { done: all.filter(({ search, key }) => done.has(`${search} ${key}`)).length, total: all.length },
    mentions: count("mentions"),
    hits: count("hits"),
    people: count("people"),
    programs: count("programs"),
    failed: failedSearches(definition, windows),
    run: count("runs"),
    bytes: sum(files.map(({ bytes }) => bytes)),
    retrieved: days[0] === undefined ? null : { first: days[0], last: days.at(-1) as string },
  };
}

/** The searches with failed windows, in the order of the definition. */
export function failedSearches(
  { searches }: Definition,
  windows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): FailedSearch[] {
  const failures = new Map(windows.filter(({ error }) => error !== null).map((row) => [row.search, row]));
  return searches.flatMap(({ id: search, parameters: { query = "" } }) => {
    const { error: code, message } = failures.get(search) ?? {};
    return code === undefined ? [] : [{ search, query, code: String(code), message: String(message) }];
  });
}

/** See `Corpus.toString`. */
export function corpusText(dir: string): string {
  const { source, window, windows, bytes, retrieved, failed, searches, ...rows } = corpusInfo(dir);
  const split = window === null ? "" : ` by ${window}`;
  const days = retrieved === null ? "nothing fetched" : `fetched ${retrieved.first} to ${retrieved.last}`;
  const missing = windows.total - windows.done;
  const lines = [
    `${basename(dir)}: ${clip(source, 200)}`,
    `${pluralize(searches, "search", "searches")}${split}, ${windows.done} of ${pluralize(windows.total, "window")}, ${days}`,
    `${tablesText(rows)}, ${(bytes / 1e6).toFixed(1)} MB`,
    ...(missing === 0 ? [] : [`missing: ${pluralize(missing, "window")}; await corpus.build() fetches them`]),
    ...failed.map(({ query, code, message }) => `failed: ${clip(query, MAX_SEARCH)} (${code}): ${message}`),
  ];
  return escapedLines(lines.join("\n"));
}

/** A day as yyyy-mm-dd. */
function dayOf(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString().slice(0, 10) : undefined;
}

/** Sets the provenance of a table: one source for each search, from the table of searches. */
export function withCorpusProvenance<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOf(dir);
  const step = { verb: "corpus", text: `collected in the corpus ${basename(dir)}` };
  return setProvenance(table, first && deriveProvenance(first, step, others));
}

function sourcesOf(dir: string): Provenance[] {
  const { source, until, searches } = readDefinition(dir) as Definition;
  const request = { operation: "mentions", path: "/mentions", query: [] } as const;
  const emptyProvenance = new ProvenanceRecorder(request, { baseUrl: source, source, snapshot: null }).provenance();
  const rows = new Map(toRecords(singleTable(dir, "searches")).map((row) => [row.search, row]));
  return searches.flatMap(({ id, parameters }): Provenance[] => {
    const row = rows.get(id);
    const [firstResponseAt = null, lastResponseAt] = [dayOf(row?.first_retrieved), dayOf(row?.retrieved)];
    if (row === undefined || lastResponseAt === undefined) return [];
    const days = { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? until };
    const counts = { rows: Number(row.rows), requests: Number(row.requests), firstResponseAt, lastResponseAt };
    const verdict = row.verdict === "complete" ? "complete" : "capped";
    const reason = verdict === "complete" ? null : "unfinished windows";
    return [{ ...emptyProvenance, ...counts, sha256: "", parameters: days, verdict, reason }];
  });
}
