import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileErrors } from "./fileErrors.js";

/** Creates a directory that only this user can enter. The error for a missing or full parent names it. */
export function temporaryDirectory(parent: string = tmpdir()): string {
  return withFileErrors(parent, () => mkdtempSync(join(parent, "archive-frames-")));
}

export function removeTemporaryDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
