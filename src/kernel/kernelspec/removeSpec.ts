import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { FileError } from "../../errors/index.js";
import { toFileError } from "../../fs/toFileError.js";
import { dataDirectory, type Place } from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, specName } from "./kernelSpec.js";
import { currentPlatform, type Platform } from "./platform.js";

/** Options of {@link removeSpec}. */
export interface RemoveOptions extends Place {
  /** Default `"archive-frames"`. */
  name?: string | undefined;
}

/**
 * Takes away what {@link installSpec} wrote, and nothing else: files of others in the same folder stay.
 *
 * @returns the path of the file that was removed; undefined when there was none
 * @throws FileError when the spec of that name is not of this package, or cannot be removed
 */
export function removeSpec(options: RemoveOptions = {}, around: Platform = currentPlatform()): string | undefined {
  const { name = KERNEL_NAME, ...place } = options;
  const folder = join(dataDirectory(place, around), "kernels", specName(name));
  const found = findSpec(dirname(dirname(folder)), name);
  if (found === undefined) return undefined;
  if (found.kind === "foreign") {
    const hint = `Remove it yourself if you do not need it: ${folder}`;
    throw new FileError(`${found.path} is not of this package.`, { code: "TARGET_IS_FOLDER", hint, path: found.path });
  }
  try {
    rmSync(found.path);
    removeIfEmpty(folder);
  } catch (error) {
    throw toFileError(error, found.path);
  }
  return found.path;
}

function removeIfEmpty(folder: string): void {
  try {
    if (existsSync(folder)) rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}
