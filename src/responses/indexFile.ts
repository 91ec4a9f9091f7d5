import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import {
  type IndexEntry,
  type IndexHeader,
  type IndexLine,
  isIndexHeader,
  isIndexLine,
  isStoredResponse,
  readLine,
  type StoredResponse,
} from "./line.js";
import { damaged } from "./snapshotErrors.js";

/** Largest index that is read; a client starts another one long before. */
const MAX_INDEX_BYTES = 128 * 2 ** 20;

/** The content of an index: what one client stored. */
export interface IndexFile {
  /** Path below the snapshot: `index/20261121T061200Z-….jsonl`. */
  readonly file: string;
  readonly content: Buffer;
  readonly header: IndexHeader;
  readonly entries: readonly IndexEntry[];
  readonly responses: readonly StoredResponse[];
  /** The last line is incomplete because its process was killed. Its request will be sent again. */
  readonly torn: boolean;
}

/**
 * Reads all indexes of a snapshot, sorted by name and so by start time. Each is written by one client alone, line by line: two clients
 * never write the same file. One whose process was killed before the first line was complete is left out.
 *
 * @param onError called with each error, which is otherwise thrown
 * @returns an empty array if there is no snapshot
 * @throws SnapshotError `SNAPSHOT_DAMAGED`, which names the file and the line
 */
export function readIndexes(
  dir: string,
  onError = (error: unknown): void => {
    throw error;
  },
): IndexFile[] {
  return indexNames(dir).flatMap((name) => {
    try {
      return readIndex(dir, `index/${name}`);
    } catch (error) {
      onError(error);
      return [];
    }
  });
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

function readIndex(dir: string, file: string): IndexFile[] {
  const path = join(dir, file);
  const content = readBytesOf(dir, file);
  const lines = content.toString().split("\n");
  const tail = lines.pop() as string;
  // A complete line with another byte instead of its newline was changed, not cut off.
  const torn = tail !== "" && readLine(tail, isIndexLine) === undefined;
  if (readLine(tail.slice(0, -1), isIndexLine) !== undefined || !(torn || tail === "")) lines.push(tail);
  const [header, ...entries] = lines.map((line, at) => {
    const parsed = readLine<IndexLine>(line, isIndexLine);
    if (parsed === undefined || isIndexHeader(parsed) !== (at === 0)) throw damaged(path, `line ${at + 1} was changed`);
    return parsed;
  }) as [IndexHeader | undefined, ...IndexEntry[]];
  if (header === undefined) return [];
  return [{ file, content, header, entries, responses: entries.filter(isStoredResponse), torn }];
}

function readBytesOf(dir: string, file: string): Buffer {
  try {
    return readReceivedFile(dir, file, MAX_INDEX_BYTES);
  } catch (error) {
    throw damaged(join(dir, file), "it cannot be read", error);
  }
}
