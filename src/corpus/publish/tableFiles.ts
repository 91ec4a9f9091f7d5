import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { readReceivedFile } from "../../fs/receivedFile.js";
import { isObject } from "../../util/isObject.js";
import { sum } from "../../util/sum.js";
import { checkedFile, filesBelow, readInside } from "../files.js";
import { type DescribedName, emptyTable } from "./tableColumns.js";

/** `runs` has times of this computer, so it differs between corpora. */
export type TableName = DescribedName | "runs";

/** Whether a table has one file per month of `begintime`. */
export function isPartitioned(name: TableName): boolean {
  return name === "mentions" || name === "hits";
}

const TABLE_FILE =
  /^tables\/(?:(people|programs|searches|runs)|(mentions|hits)\/year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__))\/part\.parquet$/;

/** The table that a file belongs to; undefined for other files. */
export function tableOf(path: string): TableName | undefined {
  const [, single, partitioned] = TABLE_FILE.exec(path) ?? [];
  return (single ?? partitioned) as TableName | undefined;
}

/** The path of a table or of one of its months in the corpus: `tables/hits/year=2024/month=03/part.parquet`. */
export function tableFile(name: TableName, month?: string): string {
  return ["tables", name, ...(month === undefined ? [] : [month]), "part.parquet"].join("/");
}

/** The files of a table in order, relative to the directory of the corpus. Links and anything else there are left out. */
export function filesOf(dir: string, name: TableName): string[] {
  return filesBelow(dir, `tables/${name}`).filter((path) => tableOf(path) === name);
}

/** A file of a table, as it was published. */
export interface TableFile {
  /** Relative to the directory of the corpus, with `/`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Missing values of the columns that have any. */
  readonly nulls: Readonly<Record<string, number>>;
}

/** What was published. Written after all files. */
export interface TablesIndex {
  readonly version: 1;
  /** The last round, and the last one that is complete. */
  readonly round: number;
  readonly closed: number;
  /** Windows that the open round asks again. */
  readonly again: number;
  readonly lookupsMissing: number;
  readonly failed: ReadonlyArray<{ readonly search: string; readonly code: string; readonly message: string }>;
  readonly files: readonly TableFile[];
}

export const INDEX = "tables/index.json";
const MAX_BYTES = 2 ** 28;
/** A month of mentions has about 2^26 bytes if it has 100,000 rows. */
const MAX_PART_BYTES = 2 ** 32;

/** What was published last; undefined if nothing was. */
export function readIndex(dir: string): TablesIndex | undefined {
  try {
    const value: unknown = JSON.parse(String(readInside(dir, INDEX, MAX_BYTES)));
    return isIndex(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isIndex(value: unknown): value is TablesIndex {
  const isFile = (file: unknown) =>
    isObject(file) &&
    tableOf(String(file.path)) !== undefined &&
    [file.rows, file.bytes].every(Number.isSafeInteger) &&
    isObject(file.nulls) &&
    /^[\da-f]{64}$/.test(String(file.sha256));
  if (!isObject(value) || value.version !== 1) return false;
  const { round, closed, again, lookupsMissing, files, failed } = value;
  const areNumbers = [round, closed, again, lookupsMissing].every(Number.isSafeInteger);
  return areNumbers && Array.isArray(failed) && Array.isArray(files) && files.every(isFile);
}

export function rowsOfTables(dir: string) {
  const files = readIndex(dir)?.files ?? [];
  const count = (name: TableName) => sum(files.filter(({ path }) => tableOf(path) === name).map(({ rows }) => rows));
  return { mentions: count("mentions"), hits: count("hits"), people: count("people"), programs: count("programs") };
}

/** A lazy frame over files of one table, relative to the directory of the corpus; undefined for none. */
export function scanFiles(dir: string, files: readonly string[], pathColumn?: string): LazyFrame | undefined {
  if (files.length === 0) return undefined;
  return scanParquetFiles(
    files.map((path) => checkedFile(dir, path)),
    pathColumn,
  );
}

/**
 * Reads a file of a table.
 *
 * @throws ArchiveError for a link or a special file; the system error if there is none (`ENOENT`)
 */
function readPart(dir: string, path: string): PolarsFrame {
  return pl.readParquet(readReceivedFile(dir, path, MAX_PART_BYTES));
}

/** Reads a table that is one file; undefined if it has not been published. */
export function publishedTable(dir: string, name: TableName): PolarsFrame | undefined {
  return lstatSync(join(dir, tableFile(name)), { throwIfNoEntry: false }) && readPart(dir, tableFile(name));
}

/** A table. Those of one file are read at once: a run may replace it. */
export function corpusTable(dir: string, name: DescribedName): LazyFrame {
  if (!isPartitioned(name)) return singleTable(dir, name).lazy();
  return scanFiles(dir, filesOf(dir, name)) ?? emptyTable(name).lazy();
}

/** A table of one file; without rows if it has not been published. */
export function singleTable(dir: string, name: DescribedName): PolarsFrame {
  return publishedTable(dir, name) ?? emptyTable(name);
}
