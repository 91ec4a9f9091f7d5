import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FileError, ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { VERSION } from "../../util/version.js";
import { currentPlatform, dataDirectory, type Platform, type SpecLocation } from "./dataDirectories.js";

/** Default name of the kernel in Jupyter. */
export const KERNEL_NAME = "archive-frames";

/** The content of a `kernel.json`. */
interface KernelSpec {
  readonly argv: readonly string[];
  readonly display_name: string;
  readonly language: string;
  readonly interrupt_mode: "message" | "signal";
  readonly metadata: {
    /** JupyterLab lists variables only for kernels with a debugger. */
    readonly debugger: boolean;
    /** The version of this package that wrote it; absent in kernelspecs of others. */
    readonly "archive-frames": { readonly version: string; readonly preload: boolean };
  };
}

/** Creates the kernelspec of this version on this machine. */
export function kernelSpec(name: string, preload: boolean, { node, entry }: Platform): KernelSpec {
  return {
    // Absolute, because a server that was not started from a shell may have another PATH.
    argv: [node, entry, "{connection_file}", ...(preload ? ["--preload"] : [])],
    display_name: `TypeScript (${name})`,
    language: "typescript",
    // A message reaches the kernel where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
    metadata: { debugger: true, "archive-frames": { version: VERSION, preload } },
  };
}

/**
 * Checks the name of a kernelspec: Jupyter looks it up in lower case.
 *
 * @throws ValidationError for any other name
 */
export function specName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  throw invalid("name", name, "Give lower-case letters, digits and hyphens, for example archive-frames-dev.");
}

/** A kernelspec that was found: ours, or anything else of that name. */
type FoundSpec = { readonly path: string } & (
  | { readonly kind: "ours"; readonly spec: KernelSpec }
  | { readonly kind: "foreign" }
);

/** A kernelspec has about a thousand bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * Finds a kernelspec by name in a data directory; undefined if nothing has that name. The directory may be part of a received
 * project: a kernelspec behind a symbolic link counts as foreign, and a FIFO does not block.
 */
export function findSpec(directory: string, name: string): FoundSpec | undefined {
  const kernels = join(directory, "kernels");
  if (!existsSync(join(kernels, name))) return undefined;
  const path = join(kernels, name, "kernel.json");
  try {
    const text = readReceivedFile(kernels, `${name}/kernel.json`, MAX_BYTES).toString();
    const spec: Partial<KernelSpec> | null = JSON.parse(text);
    const ours = spec?.metadata?.["archive-frames"];
    const isOurs = typeof ours?.version === "string" && Array.isArray(spec?.argv);
    return isOurs ? { path, kind: "ours", spec: spec as KernelSpec } : { path, kind: "foreign" };
  } catch {
    return { path, kind: "foreign" };
  }
}

/** @throws FileError if another program wrote a kernelspec; `hint` says what to do */
function checkOwn(found: FoundSpec | undefined, hint: string): void {
  if (found?.kind !== "foreign") return;
  const { path } = found;
  throw new FileError(`${path} was not written by archive-frames.`, { code: "TARGET_IS_DIRECTORY", hint, path });
}

/** The picture of the kernel in Jupyter, for `logo-64x64.png`: a card of an archive that is also a table. */
const LOGO = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAABVElEQVR4nO2buw3CMBCGs0lWQpSpsgMzUGUBurRUUDIBHTtEoqKlQKIzshQo8i" +
    "J+BeP7Tvo7W/7vk8/nws4ygpiMvKjKvKiOeVE1eVGpP1HTei5dEl/9WdJTMFamydcRGPetWnLy8yC02/7XJkNrvBwSqflvasaSLyMwt5T63aFt" +
    "G782tpSOUrf/W/0yiMDUogKALYDN7qTuj6eKLbQn7S04gBiTf4f2FhxA7AEAAAAAAHSBkADE3wNSEQAAAAAAWAFYbw+qPl/V/nKblB6jx9rON9" +
    "XYet4BmJjXY13m20AIDsDUlOt81/XYAZwBngGkIgAAAAAAoAtwD7AAYGrKdb7reuwAzgDPAFIRAAAAAADQBbgHWAAwNeU633U9dgBngGcAqWgI" +
    "gPinsuIfS8t+Li+oDIY/TGR8mflAkPtpKnEI85LvlEMKZ4L5x8kOCJlfZwkh8QJCFC8Ad0FiuAAAAABJRU5ErkJggg==",
  "base64",
);

/** Options of {@link installSpec}. */
export interface InstallOptions extends SpecLocation {
  /** Declare `archive`, `pl`, `display`, `show` and `chart` before the first cell. Default: false. */
  preload?: boolean | undefined;
}

/**
 * Registers the kernel with Jupyter, without Python. A kernelspec that this package wrote earlier is replaced.
 *
 * @returns the path of the `kernel.json`
 * @throws ValidationError for an invalid name or location, and if the package runs from the npx cache
 * @throws FileError if the file cannot be written, or another kernel has that name
 */
export function installSpec(options: InstallOptions = {}, platform: Platform = currentPlatform()): string {
  const { name = KERNEL_NAME, preload = false } = options;
  const data = dataDirectory(options, platform);
  const directory = join(data, "kernels", specName(name));
  // npm may delete what `npx` downloads at any time, and the kernelspec would point to nothing.
  if (/[\\/]_npx[\\/]/.test(platform.entry)) {
    throw new ValidationError("archive-frames is not installed: npx runs a temporary copy, which npm may delete.", {
      hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
    });
  }
  checkOwn(findSpec(data, name), `Choose another name with --name, or delete ${directory}.`);
  const path = join(directory, "kernel.json");
  writeFileAtomic(join(directory, "logo-64x64.png"), LOGO);
  writeFileAtomic(path, `${JSON.stringify(kernelSpec(name, preload, platform), null, 2)}\n`);
  return path;
}

/**
 * Deletes what {@link installSpec} wrote and nothing else: other files in the same directory stay.
 *
 * @returns the path of the deleted file; undefined if there was none
 * @throws FileError if the kernelspec was not written by this package, or cannot be deleted
 */
export function removeSpec(options: SpecLocation = {}, platform: Platform = currentPlatform()): string | undefined {
  const { name = KERNEL_NAME } = options;
  const data = dataDirectory(options, platform);
  const directory = join(data, "kernels", specName(name));
  const found = findSpec(data, name);
  if (found === undefined) return undefined;
  checkOwn(found, `If you do not need it, delete ${directory}.`);
  try {
    rmSync(found.path);
    // A picture that the user has replaced stays.
    const logo = join(directory, "logo-64x64.png");
    const isOurs = lstatSync(logo, { throwIfNoEntry: false })?.isFile() && readFileSync(logo).equals(LOGO);
    if (isOurs) rmSync(logo);
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch (error) {
    throw toFileError(error, found.path);
  }
  return found.path;
}
