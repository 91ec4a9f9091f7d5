import { join } from "node:path";
import { SnapshotError } from "../errors/index.js";
import { userPath } from "../fs/userPath.js";
import { sum } from "../util/sum.js";
import { damaged, noSnapshot, readPacked, readStoredFile, storedFileNames } from "./responseStore.js";

/** The result of verifying a snapshot. */
export interface SnapshotCheck {
  /** Whether nothing is damaged or missing. */
  readonly ok: boolean;
  /** Responses checked. */
  readonly responses: number;
  /** Bodies checked. */
  readonly bodies: number;
  /** The problems found; each error names its file. */
  readonly problems: readonly SnapshotError[];
  /** Files whose last entry was cut off because their process was killed. No used response is missing. */
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
  const path = userPath("snapshot dir", dir, "study/");
  const names = storedFileNames(path);
  if (names.length === 0) throw noSnapshot(path);
  const problems: SnapshotError[] = [];
  const checked = <T>(check: () => T): T[] => {
    try {
      return [check()];
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      problems.push(error);
      return [];
    }
  };
  const files = names.flatMap((name) => checked(() => readStoredFile(path, name)));
  const bodies = files.flatMap((file) => file.bodies);
  for (const body of bodies) checked(() => readPacked(path, body));
  const known = new Set(bodies.map(({ line }) => line.sha256));
  for (const { file, responses } of files) {
    if (responses.some(({ sha256 }) => !known.has(sha256)))
      problems.push(damaged(join(path, file), "a body is missing"));
  }
  return {
    ok: problems.length === 0,
    responses: sum(files.map(({ responses }) => responses.length)),
    bodies: bodies.length,
    problems,
    torn: files.filter(({ torn }) => torn).map(({ file }) => file),
  };
}
