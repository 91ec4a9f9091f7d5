import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { damaged } from "./damaged.js";
import { type GivenUp, isGivenUp, isRetrieval, type Retrieval, readLine, type StoredAnswer } from "./storedAnswer.js";

/** What one client has stored. */
export interface IndexFile {
  /** Path below the snapshot: `index/20261121T061200Z-….jsonl`. */
  readonly file: string;
  readonly retrieval: Retrieval;
  readonly answers: readonly StoredAnswer[];
  readonly givenUp: readonly GivenUp[];
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
  try {
    return readdirSync(join(dir, "index"))
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw damaged(join(dir, "index"), "it cannot be read", error);
  }
}

/** An index; undefined where whoever began it was killed before its first line was whole. */
export function readIndex(dir: string, file: string): IndexFile | undefined {
  const path = join(dir, file);
  const lines = readFileSync(path, "utf8").split("\n");
  const tail = lines.pop() as string;
  const contents = lines.map((line, at) => {
    const content = readLine(line);
    if (content === undefined || isRetrieval(content) !== (at === 0)) throw damaged(path, `line ${at + 1} was changed`);
    return content;
  });
  // A whole line with something in place of its end was not torn, but changed.
  if (readLine(tail.slice(0, -1)) !== undefined) throw damaged(path, `line ${lines.length + 1} was changed`);
  const last = readLine(tail);
  if (last !== undefined) contents.push(last);
  const [retrieval, ...rest] = contents as [Retrieval | undefined, ...Array<StoredAnswer | GivenUp>];
  const givenUp = rest.filter(isGivenUp);
  const answers = rest.filter((content) => !isGivenUp(content)) as StoredAnswer[];
  return retrieval && { file, retrieval, answers, givenUp, torn: tail !== "" && last === undefined };
}
