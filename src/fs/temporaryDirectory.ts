import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a directory that only this user can enter. */
export function temporaryDirectory(parent: string = tmpdir()): string {
  return mkdtempSync(join(parent, "archive-frames-"));
}

export function removeTemporaryDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
