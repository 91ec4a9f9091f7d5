import { toRecords } from "../frames/toRecords.js";
import type { Period } from "../util/period.js";
import { sum } from "../util/sum.js";
import { type Definition, readDefinition } from "./definition/definition.js";
import { windowsOf } from "./definition/windows.js";
import { readIndex, rowsOfTables, singleTable } from "./publish/tableFiles.js";
import type { CorpusSummary } from "./run/runOptions.js";

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
  /** People and programs that were not looked up yet. */
  readonly lookupsMissing: number;
  /** Searches that failed when they were asked last. */
  readonly failed: CorpusSummary["failed"];
  /** The last round that is complete: 1 for the first build; 0 before. */
  readonly round: number;
  /** Rows that the searches have found without an id. Each content is a mention of its own. */
  readonly withoutId: number;
  /** Rows with the id of another one of the same search, and other content. Each content is a mention of its own: `17`, `17#2`. */
  readonly repeatedIds: number;
  /** Size of the tables in bytes. */
  readonly bytes: number;
  /** The days on which the first and the last window was fetched, yyyy-mm-dd; null if none was. */
  readonly retrieved: { readonly first: string; readonly last: string } | null;
}

/** Describes a corpus by its tables. Sends no request. */
export function corpusInfo(dir: string): CorpusInfo {
  const definition = readDefinition(dir) as Definition;
  const { source, window = null, searches } = definition;
  const index = readIndex(dir);
  const fetched = toRecords(singleTable(dir, "searches")).filter(({ retrieved }) => retrieved !== null);
  const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : undefined);
  const landed = new Set(
    fetched.map(({ search, span, mindate, maxdate }) => [search, span, dayOf(mindate), dayOf(maxdate)].join()),
  );
  const all = windowsOf(definition);
  const done = all.filter(({ search, name, mindate, maxdate }) =>
    landed.has([search.id, name, mindate, maxdate].join()),
  );
  const days = fetched.map(({ retrieved }) => dayOf(retrieved) as string).sort();
  const [first] = days;
  const queries = new Map(searches.map(({ id, parameters }) => [id, parameters.query ?? ""]));
  return {
    dir,
    source,
    window,
    searches: searches.length,
    windows: { done: Math.max(0, done.length - (index?.again ?? 0)), total: all.length },
    ...rowsOfTables(dir),
    lookupsMissing: index?.lookupsMissing ?? 0,
    failed: (index?.failed ?? []).map((one) => ({ ...one, query: queries.get(one.search) ?? "" })),
    round: index?.closed ?? 0,
    withoutId: sum(fetched.map((row) => Number(row.without_id))),
    repeatedIds: sum(fetched.map((row) => Number(row.repeated_ids))),
    bytes: sum((index?.files ?? []).map(({ bytes }) => bytes)),
    retrieved: first === undefined ? null : { first, last: days.at(-1) as string },
  };
}
