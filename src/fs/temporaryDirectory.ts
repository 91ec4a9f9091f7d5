import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileErrors } from "./fileErrors.js";

/**
 * Creates a directory that only this user can enter.
 *
 * @throws ArchiveError that names the parent if it is missing, full or not writable
 */
export function temporaryDirectory(parent: string = tmpdir()): string {
  return withFileErrors(parent, () => mkdtempSync(join(parent, "archive-frames-")));
}

export function removeTemporaryDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
