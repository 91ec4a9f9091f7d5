import { existsSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileFault } from "../../files/fileFault.js";

/**
 * Writes a text file, and the folders above it. Whoever reads it meanwhile, and whatever goes wrong, sees it as it was before.
 *
 * @throws FileError when it cannot be written
 */
export function writeWhole(path: string, text: string): void {
  const partial = `${path}.${process.pid}.partial`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(partial, text);
    renameSync(partial, path);
  } catch (error) {
    if (existsSync(partial)) unlinkSync(partial);
    throw fileFault(error, path);
  }
}
