import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { readReceivedFile } from "../../fs/receivedFile.js";
import { isObject } from "../../util/objects.js";
import { emptyTable, type TableName } from "../database/tables.js";
import { checkedFile, filesBelow, manifestHash, readInside } from "../files.js";

const TABLE_FILE =
  /^tables\/(?:(people|programs|searches|windows|runs)|(mentions|hits)\/year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__))\/part\.parquet$/;

/** The table that a file belongs to; undefined for other files. */
export function tableOf(path: string): TableName | undefined {
  const [, single, partitioned] = TABLE_FILE.exec(path) ?? [];
  return (single ?? partitioned) as TableName | undefined;
}

/** The path of a table or of one of its months: `tables/hits/year=2024/month=03/part.parquet`. */
export function tableFile(name: TableName, month?: string): string {
  return month === undefined ? `tables/${name}/part.parquet` : `tables/${name}/${month}/part.parquet`;
}

/** The files of a table in order, relative to the directory of the corpus, without links and other files. */
export function filesOf(dir: string, name: TableName): string[] {
  return filesBelow(dir, `tables/${name}`).filter((path) => tableOf(path) === name);
}

/** The files below `tables/` that differ from the manifest: changed, missing, not in it, or a link. */
export async function damagedFiles(dir: string, manifest: readonly TableFile[]): Promise<string[]> {
  const hashes = new Map(manifest.map(({ path, hash }) => [path, hash]));
  const present = filesBelow(dir, "tables", true);
  const damaged = new Set([...hashes.keys()].filter((path) => !present.includes(path)));
  for (const path of present) {
    const hash = await manifestHash(dir, path).catch((error) => {
      if (error.code !== "UNSAFE_PATH") throw error;
    });
    if (hash === undefined || hash !== hashes.get(path)) damaged.add(path);
  }
  return [...damaged].sort();
}

/** A table for readers. Tables of one file are read at once, because a run may replace it. */
export function readTableFiles(dir: string, name: TableName): LazyFrame {
  if (name !== "mentions" && name !== "hits") return singleTable(dir, name).lazy();
  const files = filesOf(dir, name).map((path) => checkedFile(dir, path));
  return files.length === 0 ? emptyTable(name).lazy() : scanParquetFiles(files);
}

/** A table of one file; empty if it has not been published. */
export function singleTable(dir: string, name: TableName): PolarsFrame {
  const path = tableFile(name);
  if (lstatSync(join(dir, path), { throwIfNoEntry: false }) === undefined) return emptyTable(name);
  return pl.readParquet(readReceivedFile(dir, path, 2 ** 32));
}

/** Describes the files of the tables. It is written after them. */
export const MANIFEST = "datapackage.json";
const MAX_BYTES = 2 ** 28;

/** A published file of a table. */
export interface TableFile {
  /** Relative to the directory of the corpus, with `/`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** "sha256:" and its hexadecimal digits. */
  readonly hash: string;
}

/** The published files of all tables; none if the manifest is missing or damaged. */
export function readManifest(dir: string): TableFile[] {
  try {
    const { resources } = JSON.parse(String(readInside(dir, MANIFEST, MAX_BYTES)));
    return (resources as unknown[])
      .filter(isObject)
      .flatMap(({ files }) => (Array.isArray(files) ? files.filter(isFile) : []));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

function isFile(file: unknown): file is TableFile {
  if (!isObject(file)) return false;
  const areNumbers = Number.isSafeInteger(file.rows) && Number.isSafeInteger(file.bytes);
  return areNumbers && typeof file.path === "string" && typeof file.hash === "string";
}
