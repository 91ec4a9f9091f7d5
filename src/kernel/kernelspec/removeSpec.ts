import { existsSync, lstatSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { FileError } from "../../errors/index.js";
import { toFileError } from "../../fs/toFileError.js";
import { currentPlatform, dataDirectory, type Platform, type SpecLocation } from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, specName } from "./kernelSpec.js";
import { logos } from "./logos.js";

/** Options of {@link removeSpec}. */
export interface RemoveOptions extends SpecLocation {
  /** Name of the kernel in Jupyter. Default: `"archive-frames"`. */
  name?: string | undefined;
}

/**
 * Deletes what {@link installSpec} wrote and nothing else: other files in the same directory stay.
 *
 * @returns the path of the deleted file; undefined if there was none
 * @throws FileError if the kernelspec was not written by this package, or cannot be deleted
 */
export function removeSpec(options: RemoveOptions = {}, platform: Platform = currentPlatform()): string | undefined {
  const { name = KERNEL_NAME, ...location } = options;
  const directory = join(dataDirectory(location, platform), "kernels", specName(name));
  const found = findSpec(dirname(dirname(directory)), name);
  if (found === undefined) return undefined;
  if (found.kind === "foreign") {
    const hint = `If you do not need it, delete ${directory}.`;
    throw new FileError(`${found.path} was not written by archive-frames.`, {
      code: "TARGET_IS_DIRECTORY",
      hint,
      path: found.path,
    });
  }
  try {
    rmSync(found.path);
    for (const [file, content] of logos()) removeIfSame(join(directory, file), content);
    removeIfEmpty(directory);
  } catch (error) {
    throw toFileError(error, found.path);
  }
  return found.path;
}

/** A logo that the user has replaced stays. */
function removeIfSame(path: string, content: Buffer): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
  if (readFileSync(path).equals(content)) rmSync(path);
}

function removeIfEmpty(directory: string): void {
  try {
    if (existsSync(directory)) rmdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}
