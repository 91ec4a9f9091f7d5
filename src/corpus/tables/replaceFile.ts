import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../fs/makeDirectory.js";

/** Moves a finished file to its place. Readers see the old file or the new one. */
export function replaceFile(finished: string, path: string): void {
  makeDirectory(dirname(path));
  renameSync(finished, path);
}
