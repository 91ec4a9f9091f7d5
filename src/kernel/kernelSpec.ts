import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ValidationError } from "../errors/index.js";
import { userPath } from "../fs/paths.js";
import { readInputFile } from "../fs/receivedFile.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";

export const KERNEL_NAME = "archive-frames";

/** How notebooks name this kernel. */
export const DISPLAY_NAME = `TypeScript (${KERNEL_NAME})`;

/** Node would end the process after the control thread has terminated a cell, because its stack of callbacks no longer adds up. */
export const NODE_OPTION = "--no-force-async-hooks-checks";

/** The file that runs the kernel. */
const ENTRY = fileURLToPath(new URL("./main.js", import.meta.url));

/** Jupyter's data directory of the user. */
function userDirectory(): string {
  const { JUPYTER_DATA_DIR, APPDATA, XDG_DATA_HOME } = process.env;
  if (JUPYTER_DATA_DIR) return JUPYTER_DATA_DIR;
  if (process.platform === "darwin") return join(homedir(), "Library", "Jupyter");
  if (process.platform === "win32") return join(APPDATA ?? join(homedir(), "AppData", "Roaming"), "jupyter");
  return join(XDG_DATA_HOME || join(homedir(), ".local", "share"), "jupyter");
}

const specPath = (data: string) => join(data, "kernels", KERNEL_NAME, "kernel.json");

/** The kernelspec of this copy of the package. */
function specText(entry: string): string {
  const spec = {
    // Absolute, because a server that was not started from a shell may have another PATH.
    argv: [process.execPath, NODE_OPTION, entry, "{connection_file}"],
    display_name: DISPLAY_NAME,
    language: "typescript",
    // A message reaches the kernel where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
  };
  return `${JSON.stringify(spec, null, 2)}\n`;
}

/**
 * Registers the kernel with Jupyter, without Python. Replaces an earlier kernelspec of that name.
 *
 * @param prefix installs below `<prefix>/share/jupyter`. Default: in the data directory of the user
 * @returns the path of the `kernel.json`
 * @throws ValidationError if the package runs from the npx cache
 * @throws ArchiveError if the file cannot be written
 */
export function installSpec(prefix?: string, entry = ENTRY): string {
  // npm may delete what `npx` downloads at any time, and the kernelspec would point to nothing.
  if (/[\\/]_npx[\\/]/.test(entry)) {
    throw new ValidationError("archive-frames is not installed: npx runs a temporary copy, which npm may delete.", {
      hint: "Install it first: npm install archive-frames && npx archive-frames kernel install",
    });
  }
  const share = prefix === undefined ? undefined : join(resolve(userPath("prefix", prefix, "/usr/local")), "share");
  const path = specPath(share === undefined ? userDirectory() : join(share, "jupyter"));
  writeFileAtomic(path, specText(entry));
  return path;
}

/**
 * Checks the kernelspec of the user.
 *
 * @returns its path
 * @throws ValidationError if there is none, or if it starts anything but this copy of the package with this Node
 */
export function checkSpec(entry = ENTRY): string {
  const path = specPath(userDirectory());
  if (existsSync(path) && readInputFile(path, 2 ** 20).toString() === specText(entry)) return path;
  const hint = "Type: npx archive-frames kernel install";
  throw new ValidationError("This copy of the kernel is not installed for this user.", { hint });
}
