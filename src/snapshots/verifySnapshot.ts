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

/** The result of verifying a snapshot. */
export interface SnapshotCheck {
  /** Nothing is damaged or missing. */
  readonly ok: boolean;
  /** Responses checked. */
  readonly answers: number;
  /** Bodies checked. */
  readonly bodies: number;
  /** What is wrong; each error names its file. */
  readonly faults: readonly SnapshotError[];
  /** Index files whose last line was cut off when their process was killed. No response that was used is missing. */
  readonly torn: readonly string[];
  /** Body files that no index names, left behind when a process was killed. */
  readonly unused: readonly string[];
}

/**
 * Verifies every byte of a snapshot against its checksums.
 *
 * @param dir directory of the snapshot
 * @throws SnapshotError `NO_SNAPSHOT`; other problems are returned in `faults`
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const names = indexNames(dir);
  if (names.length === 0) throw noSnapshot(dir);
  const faults: SnapshotError[] = [];
  const indexes: IndexFile[] = [];
  for (const name of names) {
    await collecting(faults, () => {
      const index = readIndex(dir, `index/${name}`);
      if (index !== undefined) indexes.push(index);
    });
  }
  const answers = indexes.flatMap((index) => index.answers);
  const byFile = new Map(answers.map((answer) => [answer.file, answer]));
  for (const answer of byFile.values()) await collecting(faults, () => checkBody(dir, answer));
  const present = bodyFiles(dir);
  return {
    ok: faults.length === 0,
    answers: answers.length,
    bodies: byFile.size,
    faults,
    torn: indexes.filter(({ torn }) => torn).map(({ file }) => file),
    // An unreadable index may name any of the bodies.
    unused: indexes.length === names.length ? present.filter((file) => !byFile.has(file)) : [],
  };
}

async function collecting(faults: SnapshotError[], check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    faults.push(error);
  }
}

/** Unpacks a body in pieces: it may be large. */
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

/** The body files. Links and other irregular files are ignored. */
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
