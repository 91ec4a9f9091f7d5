import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withFileErrors } from "./fileErrors.js";
import { checkRealDirectory } from "./receivedFile.js";

/**
 * Creates a directory and its parents.
 *
 * @throws ArchiveError
 */
export function makeDirectory(path: string): void {
  withFileErrors(path, () => createDirectory(path));
}

/** Not with Node's `recursive`, which loops forever if the system refuses a directory the way /proc does. */
function createDirectory(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) createDirectory(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // It exists, or another process has just created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/** Creates a directory with mode 0700, and its parents with the default mode. An existing one gets that mode again. */
export function makePrivateDirectory(path: string): void {
  createDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    checkRealDirectory(path);
    // A backup or `chmod -R` may have made it readable to others.
    chmodSync(path, 0o700);
  }
}

/** Creates a directory that only this user can enter. The error for a missing or full parent names it. */
export function temporaryDirectory(parent: string = tmpdir()): string {
  return withFileErrors(parent, () => mkdtempSync(join(parent, "archive-frames-")));
}

export function removeTemporaryDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
