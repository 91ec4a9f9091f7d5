import { readdirSync } from "node:fs";
import { join } from "node:path";

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
  return entries(tableDirectory(dir, name)).some(isPartFile) ? [`tables/${name}/${PART_FILE}`] : [];
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
