import { dt, type LazyFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { sum } from "../../util/sum.js";
import { filesBelow } from "../raw/storage.js";
import { parquetFacts, parquetFile } from "./parquetFile.js";

/** The tables of a corpus. */
export type TableName = "mentions" | "hits" | "people" | "programs" | "searches";

export const TABLES: readonly TableName[] = ["mentions", "hits", "people", "programs", "searches"];

/** The tables that are one file per month of `begintime`. */
type PartitionedName = "mentions" | "hits";

export function isPartitioned(name: TableName): name is PartitionedName {
  return name === "mentions" || name === "hits";
}

/** The Hive layout's name for a missing value. */
const NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__";

const TABLE_FILE =
  /^tables\/(?:(people|programs|searches)|(mentions|hits)\/year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__))\/part\.parquet$/;

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

/** The path of a table or of one of its months in the corpus: `tables/hits/year=2024/month=03/part.parquet`. */
export function tableFile(name: TableName, partition?: string): string {
  return ["tables", name, ...(partition === undefined ? [] : [partition]), "part.parquet"].join("/");
}

/** The files of a table in order, relative to the directory of the corpus. Links and anything else there are left out. */
export function filesOf(dir: string, name: TableName): string[] {
  return filesBelow(dir, `tables/${name}`).filter((path) => tableOf(path) === name);
}

/** A lazy frame over all files of a table; undefined if there are none. All have the same columns. */
export function scanTable(dir: string, name: TableName): LazyFrame | undefined {
  return scanFiles(dir, filesOf(dir, name));
}

/** A lazy frame over files of one table, relative to the directory of the corpus; undefined for none. */
export function scanFiles(dir: string, files: readonly string[]): LazyFrame | undefined {
  const paths = files.map((path) => parquetFile(dir, path));
  return paths.length === 0 ? undefined : scanParquetFiles(paths);
}

/** The table that a file belongs to; undefined for other files. */
export function tableOf(path: string): TableName | undefined {
  const [, single, partitioned] = TABLE_FILE.exec(path) ?? [];
  return (single ?? partitioned) as TableName | undefined;
}

/** The number of rows of each table that looks something up or was derived, as its files say. */
export function rowsOfTables(dir: string) {
  const count = (name: TableName) => sum(filesOf(dir, name).map((path) => parquetFacts(dir, path).rows));
  return { mentions: count("mentions"), hits: count("hits"), people: count("people"), programs: count("programs") };
}
