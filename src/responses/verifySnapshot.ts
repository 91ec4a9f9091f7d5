import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { SnapshotError } from "../errors/index.js";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { readPacked } from "./bodyFiles.js";
import { type IndexFile, indexNames, readIndex } from "./indexFile.js";
import type { StoredResponse } from "./line.js";
import { damaged, noSnapshot } from "./snapshotErrors.js";

/** The result of verifying a snapshot. */
export interface SnapshotCheck {
  /** Nothing is damaged or missing. */
  readonly ok: boolean;
  /** Responses checked. */
  readonly responses: number;
  /** Bodies checked. */
  readonly bodies: number;
  /** The problems found; each error names its file. */
  readonly problems: readonly SnapshotError[];
  /** Index files whose last line was cut off when their process was killed. No response that was used is missing. */
  readonly torn: readonly string[];
  /** Body files that no index names, left behind when a process was killed. */
  readonly unused: readonly string[];
}

/**
 * Verifies every byte of a snapshot against its checksums.
 *
 * @param dir directory of the snapshot
 * @throws SnapshotError `NO_SNAPSHOT`; other problems are returned in `problems`
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const names = indexNames(dir);
  if (names.length === 0) throw noSnapshot(dir);
  const problems: SnapshotError[] = [];
  const indexes: IndexFile[] = [];
  for (const name of names) {
    await collectProblems(problems, () => {
      const index = readIndex(dir, `index/${name}`);
      if (index !== undefined) indexes.push(index);
    });
  }
  const responses = indexes.flatMap((index) => index.responses);
  const byFile = new Map(responses.map((response) => [response.file, response]));
  for (const response of byFile.values()) await collectProblems(problems, () => checkBody(dir, response));
  const present = bodyFiles(dir);
  return {
    ok: problems.length === 0,
    responses: responses.length,
    bodies: byFile.size,
    problems,
    torn: indexes.filter(({ torn }) => torn).map(({ file }) => file),
    // An unreadable index may name any of the bodies.
    unused: indexes.length === names.length ? present.filter((file) => !byFile.has(file)) : [],
  };
}

async function collectProblems(problems: SnapshotError[], check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    problems.push(error);
  }
}

/** Unpacks a body in pieces: it may be large. */
async function checkBody(dir: string, response: StoredResponse): Promise<void> {
  const path = join(dir, response.file);
  const packed = readPacked(dir, response);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const pieces = createGunzip();
    pieces.end(packed);
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > response.bytes) break;
      hash.update(piece);
    }
  } catch (error) {
    throw damaged(path, "it cannot be unpacked", error);
  }
  if (bytes !== response.bytes) throw damaged(path, `it does not contain ${response.bytes} bytes`);
  if (hash.digest("hex") !== response.sha256) throw damaged(path, "its body is not the one that the index names");
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
  const directories = entries("bodies").filter((entry) => entry.isDirectory());
  return directories.flatMap(({ name: directory }) =>
    entries(`bodies/${directory}`)
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json.gz"))
      .map(({ name }) => `bodies/${directory}/${name}`),
  );
}
