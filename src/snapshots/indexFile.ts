import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import {
  type Finished,
  type GivenUp,
  isAnswer,
  isFinished,
  isGivenUp,
  isRetrieval,
  type Line,
  type Retrieval,
  readLine,
  type StoredAnswer,
} from "./indexLine.js";
import { damaged } from "./snapshotErrors.js";

/** A larger index is not read; a client begins another one long before. */
export const MAX_INDEX_BYTES = 128 * 2 ** 20;

/** What one client has stored. */
export interface IndexFile {
  /** Path below the snapshot: `index/20261121T061200Z-….jsonl`. */
  readonly file: string;
  readonly retrieval: Retrieval;
  readonly answers: readonly StoredAnswer[];
  readonly givenUp: readonly GivenUp[];
  readonly finished: readonly Finished[];
  /** The last line has no end: whoever wrote it was killed. What it was to say will be asked for again. */
  readonly torn: boolean;
}

/**
 * Reads all indexes of a snapshot, by their names, which begin with when they were begun. Each is written by one client alone, line
 * by line, so that two clients never write the same file.
 *
 * @returns nothing where there is no snapshot
 * @throws SnapshotError `SNAPSHOT_DAMAGED`, which names the file and the line
 */
export function readIndexes(dir: string): IndexFile[] {
  return indexNames(dir)
    .map((name) => readIndex(dir, `index/${name}`))
    .filter((index) => index !== undefined);
}

/** The names of the indexes of a snapshot; none where there is none. */
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
 * @throws SnapshotError `SNAPSHOT_DAMAGED` where it is no regular file, or too large
 */
export function readIndexBytes(dir: string, file: string): Buffer {
  try {
    return readReceivedFile(dir, file, MAX_INDEX_BYTES);
  } catch (error) {
    throw damaged(join(dir, file), "it cannot be read", error);
  }
}

/** An index; undefined where whoever began it was killed before its first line was whole. */
export function readIndex(dir: string, file: string): IndexFile | undefined {
  const path = join(dir, file);
  const lines = readIndexBytes(dir, file).toString().split("\n");
  const tail = lines.pop() as string;
  const contents = lines.map((line, at) => {
    const content = readLine(line);
    if (content === undefined || isRetrieval(content) !== (at === 0)) throw damaged(path, `line ${at + 1} was changed`);
    return content;
  });
  // A whole line with something in place of its end was not torn, but changed.
  if (readLine(tail.slice(0, -1)) !== undefined) throw damaged(path, `line ${lines.length + 1} was changed`);
  const last = readLine(tail);
  if (last !== undefined) {
    if (isRetrieval(last) !== (lines.length === 0)) throw damaged(path, `line ${lines.length + 1} was changed`);
    contents.push(last);
  }
  const [retrieval, ...rest] = contents as [Retrieval | undefined, ...Line[]];
  const givenUp = rest.filter(isGivenUp);
  const finished = rest.filter(isFinished);
  const answers = rest.filter(isAnswer);
  const torn = tail !== "" && last === undefined;
  return retrieval && { file, retrieval, answers, givenUp, finished, torn };
}
