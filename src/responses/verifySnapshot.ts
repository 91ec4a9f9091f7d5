import { createHash } from "node:crypto";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { SnapshotError } from "../errors/index.js";
import { readPacked } from "./bodyFiles.js";
import { indexNames, readIndexes } from "./indexFile.js";
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
  if (indexNames(dir).length === 0) throw noSnapshot(dir);
  const problems: SnapshotError[] = [];
  const report = (error: unknown) => {
    if (!(error instanceof SnapshotError)) throw error;
    problems.push(error);
  };
  const indexes = readIndexes(dir, report);
  const responses = indexes.flatMap((index) => index.responses);
  const byFile = new Map(responses.map((response) => [response.file, response]));
  for (const response of byFile.values()) await checkBody(dir, response).catch(report);
  return {
    ok: problems.length === 0,
    responses: responses.length,
    bodies: byFile.size,
    problems,
    torn: indexes.filter(({ torn }) => torn).map(({ file }) => file),
  };
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
