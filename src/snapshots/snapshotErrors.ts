import { SnapshotError } from "../errors/index.js";

/** The error for a file of a snapshot that is not what was written. */
export function damaged(path: string, what: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} is damaged: ${what}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: 'Take the snapshot from a copy, or delete that file and ask again with { mode: "auto" }. archive-frames snapshot verify looks at every file.',
    path,
    cause,
  });
}
