import { FileError } from "../../errors/index.js";
import { isObject } from "../../util/isObject.js";
import { isRawFile, type RawFile } from "./landing.js";
import type { CorpusStorage } from "./storage.js";

/** The rows of superseded landings that tables still need, in one file for each month. */
export type Compacted = Readonly<Record<string, CompactedMonth>>;

export interface CompactedMonth extends RawFile {
  /** The uses whose rows it replaces, by their keys, and the last round in which each was seen. */
  readonly uses: Readonly<Record<string, number>>;
}

/** Written after the files that it names, and before those that they replace are deleted. */
export const COMPACTED = "raw/compacted.json";
const MAX_BYTES = 2 ** 28;
const PATH =
  /^raw\/year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__)\/compacted-[\da-f]{16}\.parquet$/;

/** The path of a file of compacted rows. */
export function compactedPath(month: string, sha256: string): string {
  return `raw/${month}/compacted-${sha256.slice(0, 16)}.parquet`;
}

export function isCompactedPath(path: string): boolean {
  return PATH.test(path);
}

/**
 * What has been compacted, by month.
 *
 * @throws FileError if the list is damaged: without it, rows of its months would be missing
 */
export async function readCompacted(storage: CorpusStorage): Promise<Compacted> {
  const bytes = await storage.read(COMPACTED, MAX_BYTES);
  if (bytes === undefined) return {};
  try {
    const value: unknown = JSON.parse(String(bytes));
    if (isObject(value) && Object.entries(value).every(isMonth)) return value as Compacted;
  } catch {
    // It is not JSON.
  }
  throw new FileError(`${COMPACTED} is damaged.`, {
    code: "FILE_ERROR",
    hint: "Restore it from a copy of the corpus: it names files in raw/ that the tables are made from.",
    path: COMPACTED,
  });
}

function isMonth([month, value]: [string, unknown]): boolean {
  if (!isRawFile(value, PATH)) return false;
  const { path, sha256, uses } = value as Partial<CompactedMonth>;
  return (
    path === compactedPath(month, String(sha256)) &&
    isObject(uses) &&
    Object.values(uses).every((round) => Number.isSafeInteger(round))
  );
}
