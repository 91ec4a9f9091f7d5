import { readdirSync } from "node:fs";
import { join } from "node:path";
import { dt, type LazyFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { checkRealDirectory } from "../../fs/makeDirectory.js";

/** The tables of a corpus. */
export type TableName = "mentions" | "hits" | "people" | "programs" | "searches";

export const TABLES: readonly TableName[] = ["mentions", "hits", "people", "programs", "searches"];

/** The tables that are one file per month of `begintime`. */
export type PartitionedName = "mentions" | "hits";

/** The Hive layout's name for a missing value. */
export const NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__";

const PART_FILE = "part.parquet";
const YEAR = /^year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)$/;
const MONTH = /^month=(?:\d\d|__HIVE_DEFAULT_PARTITION__)$/;

/** The month of a row of mentions, of its `begintime` as a timestamp or as text: `year=2024/month=03`. */
export function partitionExpr(isTime: boolean): pl.Expr {
  const none = `year=${NULL_PARTITION}/month=${NULL_PARTITION}`;
  return dt(timeExpr(isTime)).strftime("year=%Y/month=%m").fillNull(pl.lit(none));
}

/** `begintime` as a timestamp. The service can send text in which not every one can be read. */
export function timeExpr(isTime: boolean): pl.Expr {
  const time = pl.col("begintime");
  return isTime ? time : time.cast(pl.String).str.strptime(pl.Datetime("ms"), "%+");
}

/** The directory of a table. */
export function tableDirectory(dir: string, name: TableName): string {
  return join(dir, "tables", name);
}

/** The file of a table that is one file. */
export function tablePath(dir: string, name: TableName): string {
  return join(tableDirectory(dir, name), PART_FILE);
}

/** The file of a partition: `year=2024/month=03`. */
export function partitionPath(dir: string, name: PartitionedName, partition: string): string {
  return join(tableDirectory(dir, name), ...partition.split("/"), PART_FILE);
}

/** The partitions of a table, sorted: `["year=2023/month=12", "year=2024/month=01"]`. Anything else there is ignored. */
export function partitionsOf(dir: string, name: PartitionedName): string[] {
  if (!isInside(dir, name)) return [];
  const root = tableDirectory(dir, name);
  return directories(root, YEAR)
    .flatMap((year) => directories(join(root, year), MONTH).map((month) => `${year}/${month}`))
    .filter((partition) => entries(join(root, ...partition.split("/"))).some(isPartFile))
    .sort();
}

/** The files of a table, relative to the directory of the corpus, with `/`. */
export function filesOf(dir: string, name: TableName): string[] {
  if (name === "mentions" || name === "hits")
    return partitionsOf(dir, name).map((partition) => `tables/${name}/${partition}/${PART_FILE}`);
  return isInside(dir, name) && entries(tableDirectory(dir, name)).some(isPartFile)
    ? [`tables/${name}/${PART_FILE}`]
    : [];
}

/** A lazy frame over all files of a table; undefined if there are none. All have the same columns. */
export function scanTable(dir: string, name: TableName): LazyFrame | undefined {
  const paths = filesOf(dir, name).map((path) => join(dir, path));
  return paths.length === 0 ? undefined : scanParquetFiles(paths);
}

/** The table that a file belongs to; undefined for other files. */
export function tableOf(path: string): TableName | undefined {
  return TABLES.find((name) => path.startsWith(`tables/${name}/`) && path.endsWith("/part.parquet"));
}

const ROWS = pl.len();

/** The number of rows of each table that looks something up or was derived. */
export function rowsOfTables(dir: string) {
  const count = (name: TableName) => Number(scanTable(dir, name)?.select(ROWS).collectSync().row(0)[0] ?? 0);
  return { mentions: count("mentions"), hits: count("hits"), people: count("people"), programs: count("programs") };
}

/**
 * Whether there is a table. Neither its directory nor `tables` may be a link: somebody else may have made the corpus.
 *
 * @throws FileError `UNSAFE_PATH`
 */
function isInside(dir: string, name: TableName): boolean {
  try {
    checkRealDirectory(join(dir, "tables"));
    checkRealDirectory(tableDirectory(dir, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function directories(path: string, pattern: RegExp): string[] {
  return entries(path)
    .filter((entry) => entry.isDirectory() && pattern.test(entry.name))
    .map(({ name }) => name);
}

function isPartFile(entry: { readonly name: string; isFile(): boolean }): boolean {
  return entry.isFile() && entry.name === PART_FILE;
}

function entries(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
