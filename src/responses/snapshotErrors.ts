import { SnapshotError } from "../errors/index.js";
import { quoted } from "../util/quoted.js";

/** The error for a snapshot file that was changed. */
export function damaged(path: string, what: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} is damaged: ${what}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: `Restore the snapshot from a copy, or delete that file and request it again with { snapshot: { mode: "auto" } }. \`archive-frames snapshot verify\` checks every file.`,
    path,
    cause,
  });
}

/** The error for a directory without a snapshot. */
export function noSnapshot(dir: string): SnapshotError {
  return new SnapshotError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: `Check the path, or record one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`,
    path: dir,
  });
}
