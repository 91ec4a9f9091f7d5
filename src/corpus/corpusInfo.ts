import { statSync } from "node:fs";
import { join } from "node:path";
import type { Period } from "../util/period.js";
import { sum } from "../util/sum.js";
import type { Definition } from "./definition/definition.js";
import { readDefinition } from "./definition/definitionFile.js";
import { type Window, windowsOf } from "./definition/windows.js";
import { lastLandings } from "./raw/lastLandings.js";
import { readProgress } from "./raw/rounds.js";
import { filesOf, rowsOfTables, TABLES } from "./tables/tablePaths.js";

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
  /** Rows that the searches have found without an id. Each content is a mention of its own. */
  readonly withoutId: number;
  /** Rows with the id of another one of the same search, and other content. Each content is a mention of its own: `17`, `17#2`. */
  readonly repeatedIds: number;
  /** Size of the tables in bytes. */
  readonly bytes: number;
  /** The days on which the first and the last window was fetched, yyyy-mm-dd; null if none was. */
  readonly retrieved: { readonly first: string; readonly last: string } | null;
}

/** Describes a corpus. Sends no request. */
export async function corpusInfo(dir: string): Promise<CorpusInfo> {
  const definition = readDefinition(dir) as Definition;
  const { source, window = null, searches } = definition;
  const { landings, pending } = await readProgress(dir, definition);
  const windows = windowsOf(definition);
  const last = [...lastLandings(windows, landings).values()];
  const days = last.map((landing) => landing.last.slice(0, 10)).sort();
  const sumOf = (name: "withoutId" | "repeatedIds") => sum(last.map((landing) => landing[name]));
  const [first] = days;
  const files = TABLES.flatMap((name) => filesOf(dir, name));
  return {
    dir,
    source,
    window,
    searches: searches.length,
    windows: progressOf(windows, pending.windows),
    ...rowsOfTables(dir),
    withoutId: sumOf("withoutId"),
    repeatedIds: sumOf("repeatedIds"),
    bytes: sum(files.map((path) => statSync(join(dir, path)).size)),
    retrieved: first === undefined ? null : { first, last: days.at(-1) as string },
  };
}

/** How many windows are in the tables. A window of which only the last days are asked again is not done either. */
export function progressOf(windows: readonly Window[], pending: readonly Window[]): CorpusInfo["windows"] {
  const isAsked = new Set(pending.flatMap(({ key, search, name }) => [key, `${search.id} ${name}`]));
  const missing = windows.filter(({ key, search, name }) => isAsked.has(key) || isAsked.has(`${search.id} ${name}`));
  return { done: windows.length - missing.length, total: windows.length };
}
