import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ValidationError } from "../errors/index.js";
import { readReceivedFile } from "../fs/receivedFile.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { VERSION } from "../util/version.js";

export const KERNEL_NAME = "archive-frames";

/** How notebooks name this kernel. */
export const DISPLAY_NAME = `TypeScript (${KERNEL_NAME})`;

/** Node would end the process after the control thread has terminated a cell, because its stack of callbacks no longer adds up. */
export const NODE_OPTION = "--no-force-async-hooks-checks";

/** Where Jupyter looks for kernels, and how a kernel is started; tests pass their own. */
export interface Platform {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Absolute path of the file that runs the kernel. */
  readonly entry: string;
}

export function currentPlatform(): Platform {
  const entry = fileURLToPath(new URL("./main.js", import.meta.url));
  return { env: process.env, platform: process.platform, home: homedir(), entry };
}

const shareOf = (prefix: string) => join(resolve(prefix), "share", "jupyter");

/** Jupyter's data directory below a prefix. Default: that of the user. */
function dataDirectory(prefix: string | undefined, { env, platform, home }: Platform): string {
  if (prefix !== undefined) return shareOf(userPath("prefix", prefix, "/usr/local"));
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  if (platform === "darwin") return join(home, "Library", "Jupyter");
  if (platform === "win32") return join(env.APPDATA ?? join(home, "AppData", "Roaming"), "jupyter");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
}

/** Every data directory in which Jupyter looks for kernels; the first match wins. */
function searchedDirectories(platform: Platform): string[] {
  const { JUPYTER_PATH = "", VIRTUAL_ENV, CONDA_PREFIX, PROGRAMDATA = "C:\\ProgramData" } = platform.env;
  const prefixes = [VIRTUAL_ENV || CONDA_PREFIX, "/usr/local", "/usr"].filter((prefix) => prefix !== undefined);
  const system = platform.platform === "win32" ? [join(PROGRAMDATA, "jupyter")] : [];
  const paths = JUPYTER_PATH.split(delimiter).filter((path) => path !== "");
  return [...paths, dataDirectory(undefined, platform), ...prefixes.map(shareOf), ...system];
}

const specPath = (data: string) => join(data, "kernels", KERNEL_NAME, "kernel.json");

const MAX_BYTES = 2 ** 20;

/**
 * The kernelspec in a data directory, without `argv` and `version` if another program wrote it, or a link is in its place; undefined if
 * there is none.
 */
function findSpec(data: string): { path: string; argv?: string[]; version?: string } | undefined {
  const path = specPath(data);
  if (!existsSync(dirname(path))) return undefined;
  try {
    const text = readReceivedFile(join(data, "kernels"), `${KERNEL_NAME}/kernel.json`, MAX_BYTES).toString();
    const { argv, metadata } = JSON.parse(text);
    const { version } = metadata[KERNEL_NAME];
    return Array.isArray(argv) && typeof version === "string" ? { path, argv: argv.map(String), version } : { path };
  } catch {
    return { path };
  }
}

/**
 * Registers the kernel with Jupyter, without Python. A kernelspec that this package wrote earlier is replaced.
 *
 * @param prefix installs below `<prefix>/share/jupyter`. Default: in the data directory of the user
 * @returns the path of the `kernel.json`
 * @throws ValidationError if the package runs from the npx cache, or another kernel has that name
 * @throws ArchiveError if the file cannot be written
 */
export function installSpec(prefix?: string, platform: Platform = currentPlatform()): string {
  // npm may delete what `npx` downloads at any time, and the kernelspec would point to nothing.
  if (/[\\/]_npx[\\/]/.test(platform.entry)) {
    throw new ValidationError("archive-frames is not installed: npx runs a temporary copy, which npm may delete.", {
      hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
    });
  }
  const data = dataDirectory(prefix, platform);
  const other = findSpec(data);
  if (other !== undefined && other.argv === undefined)
    throw new ValidationError(`${other.path} was not written by archive-frames.`, {
      hint: `If you do not need it, delete ${dirname(other.path)}.`,
    });
  const spec = {
    // Absolute, because a server that was not started from a shell may have another PATH.
    argv: [process.execPath, NODE_OPTION, platform.entry, "{connection_file}"],
    display_name: DISPLAY_NAME,
    language: "typescript",
    // A message reaches the kernel where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
    metadata: { [KERNEL_NAME]: { version: VERSION } },
  };
  writeFileAtomic(specPath(data), `${JSON.stringify(spec, null, 2)}\n`);
  return specPath(data);
}

/** The state of the kernelspec. */
export interface SpecStatus {
  /** The `kernel.json` that Jupyter uses; undefined if there is none. */
  readonly path: string | undefined;
  /** What is wrong; undefined if the kernel is ready. */
  readonly problem?: string | undefined;
  /** What to type then. */
  readonly fix: string;
}

/** Checks the kernelspec where Jupyter looks for it: this version of this copy of the package wrote it. */
export function specStatus(platform: Platform = currentPlatform()): SpecStatus {
  const [found] = searchedDirectories(platform).flatMap((directory) => findSpec(directory) ?? []);
  const fix = "npx archive-frames kernel install";
  if (found === undefined) return { path: undefined, problem: "The kernel is not installed.", fix };
  const { path, argv, version } = found;
  if (argv === undefined)
    return { path, problem: "It was not written by archive-frames.", fix: `Delete ${dirname(path)}, then: ${fix}` };
  const [node = "", entry = ""] = argv.filter((part) => !part.startsWith("-"));
  const gone = [node, entry].find((file) => !existsSync(file));
  if (gone !== undefined) return { path, problem: `It starts ${gone}, which no longer exists.`, fix };
  if (version === VERSION && resolve(entry) === resolve(platform.entry)) return { path, fix };
  return { path, problem: `It starts another copy of archive-frames: version ${version}, ${entry}.`, fix };
}
