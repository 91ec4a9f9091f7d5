import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import {
  type AbandonedRequest,
  type FinishedPagination,
  type IndexHeader,
  type IndexLine,
  isAbandonedRequest,
  isFinishedPagination,
  isIndexHeader,
  isIndexLine,
  isStoredResponse,
  readLine,
  type StoredResponse,
} from "./line.js";
import { damaged } from "./snapshotErrors.js";

/** Largest index that is read; a client starts another one long before. */
export const MAX_INDEX_BYTES = 128 * 2 ** 20;

/** The content of an index: what one client stored. */
export interface IndexFile {
  /** Path below the snapshot: `index/20261121T061200Z-….jsonl`. */
  readonly file: string;
  readonly header: IndexHeader;
  readonly responses: readonly StoredResponse[];
  readonly abandoned: readonly AbandonedRequest[];
  readonly finished: readonly FinishedPagination[];
  /** The last line is incomplete because its process was killed. Its request will be sent again. */
  readonly torn: boolean;
}

/**
 * Reads all indexes of a snapshot, sorted by name and so by start time. Each is written by one client alone, line by line: two clients
 * never write the same file.
 *
 * @returns an empty array if there is no snapshot
 * @throws SnapshotError `SNAPSHOT_DAMAGED`, which names the file and the line
 */
export function readIndexes(dir: string): IndexFile[] {
  return indexNames(dir)
    .map((name) => readIndex(dir, `index/${name}`))
    .filter((index) => index !== undefined);
}

/** The names of a snapshot's indexes; empty if there is no snapshot. */
export function indexNames(dir: string): string[] {
  const path = join(dir, "index");
  try {
    checkRealDirectory(path);
    return readdirSync(path)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw damaged(path, "it cannot be read", error);
  }
}

/**
 * The bytes of an index.
 *
 * @throws SnapshotError `SNAPSHOT_DAMAGED` if it is not a regular file or too large
 */
export function readIndexBytes(dir: string, file: string): Buffer {
  try {
    return readReceivedFile(dir, file, MAX_INDEX_BYTES);
  } catch (error) {
    throw damaged(join(dir, file), "it cannot be read", error);
  }
}

/** Reads an index; undefined if its process was killed before the first line was complete. */
export function readIndex(dir: string, file: string): IndexFile | undefined {
  const path = join(dir, file);
  const lines = readIndexBytes(dir, file).toString().split("\n");
  const tail = lines.pop() as string;
  // A complete line with another byte instead of its newline was changed, not cut off.
  const isTorn = tail !== "" && readLine(tail, isIndexLine) === undefined;
  if (readLine(tail.slice(0, -1), isIndexLine) !== undefined || !(isTorn || tail === "")) lines.push(tail);
  const contents = lines.map((line, at) => {
    const content = readLine<IndexLine>(line, isIndexLine);
    if (content === undefined || isIndexHeader(content) !== (at === 0))
      throw damaged(path, `line ${at + 1} was changed`);
    return content;
  });
  const [header, ...rest] = contents;
  if (header === undefined) return undefined;
  const abandoned = rest.filter(isAbandonedRequest);
  const finished = rest.filter(isFinishedPagination);
  const responses = rest.filter(isStoredResponse);
  return { file, header: header as IndexHeader, responses, abandoned, finished, torn: isTorn };
}
