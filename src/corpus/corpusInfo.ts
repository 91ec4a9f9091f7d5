import { toRecords } from "../frames/toRecords.js";
import type { Period } from "../util/period.js";
import { sum } from "../util/sum.js";
import type { TableName } from "./database/tables.js";
import { type Definition, readDefinition } from "./definition/definition.js";
import { windowsOf } from "./definition/windows.js";
import { readManifest } from "./publish/manifest.js";
import { singleTable, tableOf } from "./publish/tableFiles.js";
import type { FailedSearch } from "./run/runOptions.js";

/**
 * What a corpus consists of, and its progress.
 *
 * @example
 * const { windows, mentions } = await corpus.info();
 */
export interface CorpusInfo {
  /** The directory of the corpus. */
  readonly dir: string;
  /** The service, as in provenance. */
  readonly source: string;
  /** How searches are split by date; null if they are not. */
  readonly window: Period | null;
  /** Number of searches. */
  readonly searches: number;
  /** Windows of all searches: those that are in the tables, and all. */
  readonly windows: { readonly done: number; readonly total: number };
  /** Rows of the tables. */
  readonly mentions: number;
  /** Rows of the tables. */
  readonly hits: number;
  /** Rows of the tables. */
  readonly people: number;
  /** Rows of the tables. */
  readonly programs: number;
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
  const published = toRecords(singleTable(dir, "windows"));
  const done = new Set(
    published.filter(({ due }) => due === false).map(({ request, search }) => `${search} ${request}`),
  );
  const all = windowsOf(definition);
  const days = published.flatMap(({ retrieved }) => dayOf(retrieved) ?? []).sort();
  const [first, last = ""] = [days[0], days.at(-1)];
  const failures = new Map(published.filter(({ error }) => error !== null).map((row) => [row.search, row]));
  return {
    dir,
    source,
    window,
    searches: searches.length,
    windows: { done: all.filter(({ search, key }) => done.has(`${search} ${key}`)).length, total: all.length },
    ...{ mentions: count("mentions"), hits: count("hits"), people: count("people"), programs: count("programs") },
    failed: searches.flatMap(({ id: search, parameters: { query = "" } }) => {
      const { error: code, message } = failures.get(search) ?? {};
      return code === undefined ? [] : [{ search, query, code: String(code), message: String(message) }];
    }),
    run: count("runs"),
    bytes: sum(files.map(({ bytes }) => bytes)),
    retrieved: first === undefined ? null : { first, last },
  };
}

/** A day as yyyy-mm-dd. */
export function dayOf(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString().slice(0, 10) : undefined;
}
