import { existsSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileFault } from "./fileFault.js";
import { makeFolder } from "./makeFolder.js";

/**
 * Writes a file, and the folders above it. Whoever reads it meanwhile, and whatever goes wrong, sees it as it was before.
 *
 * @throws FileError when it cannot be written
 */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const partial = `${path}.${process.pid}.partial`;
  try {
    makeFolder(dirname(path));
    writeFileSync(partial, content);
    renameSync(partial, path);
  } catch (error) {
    if (existsSync(partial)) unlinkSync(partial);
    throw fileFault(error, path);
  }
}
