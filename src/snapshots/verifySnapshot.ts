import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { SnapshotError } from "../errors/index.js";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { readPacked } from "./bodyFiles.js";
import { type IndexFile, indexNames, readIndex } from "./indexFile.js";
import type { StoredAnswer } from "./indexLine.js";
import { noSnapshot } from "./openForReading.js";
import { damaged } from "./snapshotErrors.js";

/** What a look at every byte of a snapshot has found. */
export interface SnapshotCheck {
  /** Nothing is damaged and nothing is missing. */
  readonly ok: boolean;
  /** Answers and bodies that were looked at. */
  readonly answers: number;
  readonly bodies: number;
  /** What is wrong: each names its file. */
  readonly faults: readonly SnapshotError[];
  /** Indexes whose last line was cut off by a kill: nothing that was used is missing. */
  readonly torn: readonly string[];
  /** Bodies that no index names, left by a kill as well. */
  readonly unused: readonly string[];
}

/**
 * Reads everything in a snapshot, and compares it with its check sums: a byte that was changed is found.
 *
 * @param dir its folder
 * @throws SnapshotError `NO_SNAPSHOT`; faults are not thrown but given
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const names = indexNames(dir);
  if (names.length === 0) throw noSnapshot(dir);
  const faults: SnapshotError[] = [];
  const indexes: IndexFile[] = [];
  for (const name of names) {
    await noting(faults, () => {
      const index = readIndex(dir, `index/${name}`);
      if (index !== undefined) indexes.push(index);
    });
  }
  const answers = indexes.flatMap((index) => index.answers);
  const byFile = new Map(answers.map((answer) => [answer.file, answer]));
  for (const answer of byFile.values()) await noting(faults, () => checkBody(dir, answer));
  const present = bodyFiles(dir);
  return {
    ok: faults.length === 0,
    answers: answers.length,
    bodies: byFile.size,
    faults,
    torn: indexes.filter(({ torn }) => torn).map(({ file }) => file),
    // Whatever an index that cannot be read has named is not unused.
    unused: indexes.length === names.length ? present.filter((file) => !byFile.has(file)) : [],
  };
}

async function noting(faults: SnapshotError[], look: () => void | Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    faults.push(error);
  }
}

/** Looks at every byte, piece by piece: what a body unpacks to may be much. */
async function checkBody(dir: string, answer: StoredAnswer): Promise<void> {
  const path = join(dir, answer.file);
  const packed = readPacked(dir, answer);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const pieces = createGunzip();
    pieces.end(packed);
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > answer.bytes) break;
      hash.update(piece);
    }
  } catch (error) {
    throw damaged(path, "it cannot be unpacked", error);
  }
  if (bytes !== answer.bytes) throw damaged(path, `it does not hold ${answer.bytes} bytes`);
  if (hash.digest("hex") !== answer.sha256) throw damaged(path, "its body is not the one that the index names");
}

/** The bodies in their folders; what is no regular file, or lies elsewhere, is none of ours. */
function bodyFiles(dir: string): string[] {
  const entries = (path: string) => {
    try {
      checkRealDirectory(join(dir, path));
      return readdirSync(join(dir, path), { withFileTypes: true });
    } catch {
      return [];
    }
  };
  const folders = entries("bodies").filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name: folder }) =>
    entries(`bodies/${folder}`)
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json.gz"))
      .map(({ name }) => `bodies/${folder}/${name}`),
  );
}
