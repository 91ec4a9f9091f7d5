import { SnapshotError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";

/** The error for a snapshot file that was changed. */
export function damaged(path: string, what: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} is damaged: ${what}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: wording`Restore the snapshot from a copy, or delete that file and request it again with ${optionObject("snapshot", { mode: "auto" })}. \`archive-frames snapshot verify\` checks every file.`,
    path,
    cause,
  });
}

/** The error for a directory without a snapshot. */
export function noSnapshot(dir: string): SnapshotError {
  return new SnapshotError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: wording`Check the path, or record one: ${optionObject("snapshot", { dir, mode: "record" })}.`,
    path: dir,
  });
}
