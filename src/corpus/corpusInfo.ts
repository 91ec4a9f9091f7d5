import { statSync } from "node:fs";
import { join } from "node:path";
import type { Period } from "../util/period.js";
import type { Definition } from "./definition/definition.js";
import { readDefinition } from "./definition/definitionFile.js";
import { unitsOf } from "./definition/units.js";
import { rowsOfTables } from "./rowsOfTables.js";
import { readTable } from "./tables/table.js";
import { filesOf, TABLES } from "./tables/tablePaths.js";
import { readRecords } from "./work/unitRecords.js";

/**
 * What a corpus consists of, and how far it is.
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
  /** Size of the tables in bytes. */
  readonly bytes: number;
  /** The days on which the first and the last window was fetched, yyyy-mm-dd; null if none was. */
  readonly retrieved: { readonly first: string; readonly last: string } | null;
}

/** Describes a corpus. Sends no request. */
export async function corpusInfo(dir: string): Promise<CorpusInfo> {
  const definition = readDefinition(dir) as Definition;
  const { source, window = null, searches, pending } = definition;
  const units = unitsOf(definition);
  const records = readRecords(readTable(dir, "searches"));
  const done = units.filter(({ name }) => records.has(name) && !(name in pending)).length;
  const days = [...records.values()].map(({ retrieved }) => retrieved).sort();
  const [first] = days;
  const files = TABLES.flatMap((name) => filesOf(dir, name));
  return {
    dir,
    source,
    window,
    searches: searches.length,
    windows: { done, total: units.length },
    ...(await rowsOfTables(dir)),
    bytes: files.reduce((sum, path) => sum + statSync(join(dir, path)).size, 0),
    retrieved: first === undefined ? null : { first, last: days.at(-1) as string },
  };
}
