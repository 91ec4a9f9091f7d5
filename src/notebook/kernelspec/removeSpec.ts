import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileFault } from "../../disk/fileFault.js";
import { FileError } from "../../service/errors/index.js";
import { dataFolder, type Place } from "./dataFolders.js";
import { findSpec, KERNEL_NAME, specName } from "./kernelSpec.js";
import { type Surroundings, surroundings } from "./surroundings.js";

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
export function removeSpec(options: RemoveOptions = {}, around: Surroundings = surroundings()): string | undefined {
  const { name = KERNEL_NAME, ...place } = options;
  const folder = join(dataFolder(place, around), "kernels", specName(name));
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
    throw fileFault(error, found.path);
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
