import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { readReceivedFile } from "../../fs/receivedFile.js";
import { emptyTable, type TableName } from "../database/tables.js";
import { checkedFile, filesBelow, sha256OfFile } from "../files.js";
import { readManifest } from "./manifest.js";

const TABLE_FILE =
  /^tables\/(?:(people|programs|searches|windows|runs)|(mentions|hits)\/year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__))\/part\.parquet$/;

/** Whether a table has one file per month of `begintime`. */
export function isPartitioned(name: TableName): boolean {
  return name === "mentions" || name === "hits";
}

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

/** The files below `tables/` that are not what the manifest says: changed, missing, or not in it. */
export async function damagedFiles(dir: string): Promise<string[]> {
  const hashes = new Map(readManifest(dir).map(({ path, hash }) => [path, hash]));
  const present = filesBelow(dir, "tables");
  const damaged = new Set([...hashes.keys()].filter((path) => !present.includes(path)));
  for (const path of present) if ((await sha256OfFile(dir, path)) !== hashes.get(path)) damaged.add(path);
  return [...damaged].sort();
}

/** A table as readers get it. Those of one file are read at once: a run may replace it. */
export function readTableFiles(dir: string, name: TableName): LazyFrame {
  if (!isPartitioned(name)) return singleTable(dir, name).lazy();
  const files = filesOf(dir, name).map((path) => checkedFile(dir, path));
  return files.length === 0 ? emptyTable(name).lazy() : scanParquetFiles(files);
}

/** A month of mentions has about 2^26 bytes if it has 100,000 rows. */
const MAX_BYTES = 2 ** 32;

/** A table of one file; without rows if it has not been published. */
export function singleTable(dir: string, name: TableName): PolarsFrame {
  const path = tableFile(name);
  if (lstatSync(join(dir, path), { throwIfNoEntry: false }) === undefined) return emptyTable(name);
  return pl.readParquet(readReceivedFile(dir, path, MAX_BYTES));
}
