import { dirname, join } from "node:path";
import { FileError, ValidationError } from "../../errors/index.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { currentPlatform, dataDirectory, type Platform, type SpecLocation } from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, kernelSpec, specName } from "./kernelSpec.js";
import { logos } from "./logos.js";

/** Options of {@link installSpec}. */
export interface InstallOptions extends SpecLocation {
  /** Name of the kernel in Jupyter. Default: `"archive-frames"`. */
  name?: string | undefined;
  /** Declare `archive`, `pl`, `display`, `show` and `chart` before the first cell. Default: false. */
  preload?: boolean | undefined;
}

/**
 * Registers the kernel and its logos with Jupyter, without Python. A kernelspec that this package wrote earlier is replaced.
 *
 * @returns the path of the `kernel.json`
 * @throws ValidationError for an invalid name or location, and if the package runs from the npx cache
 * @throws FileError if the file cannot be written, or another kernel has that name
 */
export function installSpec(options: InstallOptions = {}, platform: Platform = currentPlatform()): string {
  const { name = KERNEL_NAME, preload = false, ...location } = options;
  specName(name);
  checkNotCached(platform.entry);
  const directory = dataDirectory(location, platform);
  const found = findSpec(directory, name);
  const path = join(directory, "kernels", name, "kernel.json");
  if (found?.kind === "foreign") {
    const hint = `Choose another name with --name, or delete ${dirname(path)}.`;
    throw new FileError(`${path} was not written by archive-frames.`, { code: "TARGET_IS_DIRECTORY", hint, path });
  }
  for (const [file, content] of logos()) writeFileAtomic(join(dirname(path), file), content);
  writeFileAtomic(path, `${JSON.stringify(kernelSpec(name, preload, platform), null, 2)}\n`);
  return path;
}

/** npm may delete what `npx` downloads at any time, and the kernelspec would point to nothing. */
function checkNotCached(entry: string): void {
  if (!/[\\/]_npx[\\/]/.test(entry)) return;
  throw new ValidationError("archive-frames is not installed: npx runs a temporary copy, which npm may delete.", {
    hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
  });
}
