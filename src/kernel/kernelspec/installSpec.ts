import { dirname, join } from "node:path";
import { FileError, ValidationError } from "../../errors/index.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { dataDirectory, type Place } from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, kernelSpec, specName } from "./kernelSpec.js";
import { currentPlatform, type Platform } from "./platform.js";

/** Options of {@link installSpec}. */
export interface InstallOptions extends Place {
  /** The name under which Jupyter knows the kernel. Default `"archive-frames"`. */
  name?: string | undefined;
  /** Declare `archive`, `pl`, `display`, `show` and `chart` before the first cell. Default false. */
  preload?: boolean | undefined;
}

/**
 * Makes the kernel known to Jupyter, without Python. What this package wrote there before is replaced.
 *
 * @returns the path of the `kernel.json`
 * @throws ValidationError for a name or a place that is not valid, and when the package runs from a cache that npm clears
 * @throws FileError when the file cannot be written, or something else has that name
 */
export function installSpec(options: InstallOptions = {}, around: Platform = currentPlatform()): string {
  const { name = KERNEL_NAME, preload = false, ...place } = options;
  specName(name);
  refuseCache(around.entry);
  const folder = dataDirectory(place, around);
  const found = findSpec(folder, name);
  const path = join(folder, "kernels", name, "kernel.json");
  if (found?.kind === "foreign") {
    const hint = `Give another name (--name), or remove ${dirname(path)} yourself.`;
    throw new FileError(`${path} is not of this package.`, { code: "TARGET_IS_FOLDER", hint, path });
  }
  writeFileAtomic(path, `${JSON.stringify(kernelSpec(name, preload, around), null, 2)}\n`);
  return path;
}

/** What `npx` downloads for one run goes when npm likes, and Jupyter would be left with a path to nothing. */
function refuseCache(entry: string): void {
  if (!/[\\/]_npx[\\/]/.test(entry)) return;
  throw new ValidationError("This copy of archive-frames was downloaded by npx for one run, and npm may delete it.", {
    hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
  });
}
