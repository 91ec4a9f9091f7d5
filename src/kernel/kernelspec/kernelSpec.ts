import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { FileError, ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { VERSION } from "../../util/version.js";

/** Default name of the kernel in Jupyter. */
export const KERNEL_NAME = "archive-frames";

/** Decides where Jupyter looks for kernels and how a kernel is started; tests pass their own. */
export interface Platform {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Home directory of the user. */
  readonly home: string;
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the file that runs the kernel. */
  readonly entry: string;
}

/** The platform of this process. */
export function currentPlatform(): Platform {
  const entry = fileURLToPath(new URL("../main.js", import.meta.url));
  return { env: process.env, platform: process.platform, home: homedir(), node: process.execPath, entry };
}

/** Name and location of a kernelspec. Give at most one location. */
export interface SpecLocation {
  /** Name of the kernel in Jupyter. Default: `"archive-frames"`. */
  name?: string | undefined;
  /** The Jupyter data directory of the user: the default. */
  user?: boolean | undefined;
  /** Below `<prefix>/share/jupyter`. */
  prefix?: string | undefined;
  /** In the active virtual environment, of Python or conda. */
  sysPrefix?: boolean | undefined;
}

/** Flag and data directory of a location; undefined for a `sysPrefix` without an active environment. */
type Location = readonly [flag: string, data: string | undefined];

/** The locations that were given. */
function locations({ user, prefix, sysPrefix }: SpecLocation, platform: Platform): Location[] {
  const environment = activeEnvironment(platform);
  return [
    ...(user === true ? [["--user", userDirectory(platform)] as const] : []),
    ...(prefix === undefined ? [] : [["--prefix", shareDirectory(resolve(prefix), platform)] as const]),
    ...(sysPrefix === true ? [["--sys-prefix", environment && shareDirectory(environment, platform)] as const] : []),
  ];
}

/**
 * The directory in which Jupyter finds `kernels`, for one location.
 *
 * @throws ValidationError for more than one location, and for `sysPrefix` without an active environment
 */
function dataDirectory(options: SpecLocation, platform: Platform): string {
  const given = locations(options, platform);
  const flags = given.map(([flag]) => flag).join(" ");
  if (given.length > 1) throw invalid("location", flags, "Give only one of --user, --prefix <dir> and --sys-prefix.");
  const [[, data] = ["", userDirectory(platform)]] = given;
  const hint = "Neither VIRTUAL_ENV nor CONDA_PREFIX is set: activate an environment, or give --prefix <dir>.";
  if (data === undefined) throw invalid("location", flags, hint);
  return data;
}

/** Every directory in which Jupyter looks for `kernels`; the first match wins. */
function searchedDirectories(current: Platform): string[] {
  const { env, platform } = current;
  const { join, delimiter } = pathsOf(current);
  const given = env.JUPYTER_PATH?.split(delimiter).filter((path) => path !== "") ?? [];
  const environment = activeEnvironment(current);
  const system =
    platform === "win32"
      ? [join(env.PROGRAMDATA ?? "C:\\ProgramData", "jupyter")]
      : ["/usr/local/share/jupyter", "/usr/share/jupyter"];
  const ofEnvironment = environment === undefined ? [] : [shareDirectory(environment, current)];
  return [...given, userDirectory(current), ...ofEnvironment, ...system];
}

function userDirectory(current: Platform): string {
  const { env, platform, home } = current;
  const { join } = pathsOf(current);
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  if (platform === "darwin") return join(home, "Library", "Jupyter");
  if (platform === "win32") return join(env.APPDATA ?? join(home, "AppData", "Roaming"), "jupyter");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
}

function activeEnvironment({ env }: Platform): string | undefined {
  return env.VIRTUAL_ENV || env.CONDA_PREFIX || undefined;
}

function shareDirectory(prefix: string, platform: Platform): string {
  return pathsOf(platform).join(prefix, "share", "jupyter");
}

function pathsOf({ platform }: Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The content of a `kernel.json` of this package. */
interface KernelSpec {
  readonly argv: readonly string[];
  readonly metadata: { readonly "archive-frames": { readonly version: string } };
}

/** A kernelspec that was found; without `spec` if another program wrote it. */
interface FoundSpec {
  readonly path: string;
  readonly spec?: KernelSpec;
}

/** A kernelspec has about a thousand bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * Finds a kernelspec by name in a data directory; undefined if nothing has that name. The directory may be part of a received
 * project: a kernelspec behind a symbolic link counts as foreign, and a FIFO does not block.
 */
function findSpec(directory: string, name: string): FoundSpec | undefined {
  const kernels = join(directory, "kernels");
  if (!existsSync(join(kernels, name))) return undefined;
  const path = join(kernels, name, "kernel.json");
  try {
    const spec: KernelSpec = JSON.parse(readReceivedFile(kernels, `${name}/kernel.json`, MAX_BYTES).toString());
    const isOurs = typeof spec.metadata["archive-frames"].version === "string" && Array.isArray(spec.argv);
    return isOurs ? { path, spec } : { path };
  } catch {
    return { path };
  }
}

/**
 * The directory of a kernelspec, and what is there.
 *
 * @param hint what to do if another program wrote it, besides deleting it
 * @throws FileError if another program wrote it
 */
function ownSpec(options: SpecLocation, platform: Platform, hint: string) {
  const data = dataDirectory(options, platform);
  const name = specName(options.name);
  const directory = join(data, "kernels", name);
  const found = findSpec(data, name);
  if (found === undefined || found.spec !== undefined) return { directory, found };
  const { path } = found;
  const details = { code: "TARGET_IS_DIRECTORY", hint: `${hint}elete ${directory}.`, path } as const;
  throw new FileError(`${path} was not written by archive-frames.`, details);
}

/** @throws ValidationError for a name that Jupyter, which looks it up in lower case, would not find */
function specName(name: string = KERNEL_NAME): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  throw invalid("name", name, "Give lower-case letters, digits and hyphens, for example archive-frames-dev.");
}

/**
 * Registers the kernel with Jupyter, without Python. A kernelspec that this package wrote earlier is replaced.
 *
 * @returns the path of the `kernel.json`
 * @throws ValidationError for an invalid name or location, and if the package runs from the npx cache
 * @throws FileError if the file cannot be written, or another kernel has that name
 */
export function installSpec(options: SpecLocation = {}, platform: Platform = currentPlatform()): string {
  // npm may delete what `npx` downloads at any time, and the kernelspec would point to nothing.
  if (/[\\/]_npx[\\/]/.test(platform.entry)) {
    throw new ValidationError("archive-frames is not installed: npx runs a temporary copy, which npm may delete.", {
      hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
    });
  }
  const { directory } = ownSpec(options, platform, "Choose another name with --name, or d");
  const path = join(directory, "kernel.json");
  const spec = {
    // Absolute, because a server that was not started from a shell may have another PATH.
    argv: [platform.node, platform.entry, "{connection_file}"],
    display_name: `TypeScript (${specName(options.name)})`,
    language: "typescript",
    // A message reaches the kernel where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
    metadata: { "archive-frames": { version: VERSION } },
  };
  writeFileAtomic(path, `${JSON.stringify(spec, null, 2)}\n`);
  return path;
}

/**
 * Deletes what {@link installSpec} wrote and nothing else: other files in the same directory stay.
 *
 * @returns the path of the deleted file; undefined if there was none
 * @throws FileError if the kernelspec was not written by this package, or cannot be deleted
 */
export function removeSpec(options: SpecLocation = {}, platform: Platform = currentPlatform()): string | undefined {
  const { directory, found } = ownSpec(options, platform, "If you do not need it, d");
  if (found === undefined) return undefined;
  try {
    rmSync(found.path);
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch (error) {
    throw toFileError(error, found.path);
  }
  return found.path;
}

/** The state of the kernelspec. */
export interface SpecStatus {
  /** Whether the kernel is ready to use. */
  readonly ok: boolean;
  /** The `kernel.json` that Jupyter uses; undefined if there is none. */
  readonly path: string | undefined;
  /** The version of this package that wrote it. */
  readonly version: string | undefined;
  /** What is wrong and what to type; empty if `ok`. */
  readonly problems: readonly string[];
}

/**
 * Checks the kernelspec where Jupyter looks for it, or at one location: whether it exists, was written by this version of this
 * package, and points to existing files.
 */
export function specStatus(options: SpecLocation = {}, platform: Platform = currentPlatform()): SpecStatus {
  const name = specName(options.name);
  const isGiven = locations(options, platform).length > 0;
  const directories = isGiven ? [dataDirectory(options, platform)] : searchedDirectories(platform);
  const [found] = directories.flatMap((directory) => findSpec(directory, name) ?? []);
  const version = found?.spec?.metadata["archive-frames"].version;
  const problems = [...problemsOf(found, installCommand(options), platform)];
  return { ok: problems.length === 0, path: found?.path, version, problems };
}

function* problemsOf(found: FoundSpec | undefined, command: string, { entry: own }: Platform): Generator<string> {
  if (found === undefined) return yield `The kernel is not installed. Type: ${command}`;
  const { path, spec } = found;
  if (spec === undefined)
    return yield `${path} was not written by archive-frames. Type: ${command} --name <another name>`;
  const [node = "", entry = ""] = spec.argv;
  const { version } = spec.metadata["archive-frames"];
  if (!existsSync(node)) yield `It starts Node at ${node}, which no longer exists. Type: ${command}`;
  if (!existsSync(entry)) yield `It starts the kernel at ${entry}, which no longer exists. Type: ${command}`;
  else if (version !== VERSION) yield `It was written by version ${version}, this is ${VERSION}. Type: ${command}`;
  else if (resolve(entry) !== resolve(own)) {
    yield `It starts another copy of archive-frames, ${entry}. To use this copy, type: ${command}`;
  }
}

/** The command that installs the kernelspec at the checked location. */
function installCommand({ name = KERNEL_NAME, prefix, sysPrefix }: SpecLocation): string {
  const location = prefix === undefined ? (sysPrefix ? " --sys-prefix" : "") : ` --prefix ${JSON.stringify(prefix)}`;
  return `npx archive-frames kernel install${location}${name === KERNEL_NAME ? "" : ` --name ${name}`}`;
}
