import { existsSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { realPath } from "./followLinks.js";
import { isOwn } from "./isOwn.js";
import { fileType, toFileError, unsafePath, withFileErrors } from "./toFileError.js";

/**
 * Creates a directory and its parents, but not through a link of another user.
 *
 * @throws ArchiveError
 */
export function makeDirectory(path: string): void {
  withFileErrors(path, () => create(realPath(path)));
}

/** Not Node's `recursive`, which loops forever if the system refuses a directory the way /proc does. */
function create(path: string, isLastAttempt = false): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || isLastAttempt) throw error;
    // Other processes may create the same directories at the same time.
    if (!existsSync(dirname(path))) create(dirname(path));
    create(path, true);
  }
}

/** Who else may write to a directory, and the hint if others may. */
interface Sharing {
  /** Permissions that nobody else may have. Default: group and world write. */
  readonly refused?: number;
  readonly hint?: string;
}

/**
 * Creates a directory with mode 0700, and its parents with the default mode. An existing one must pass {@link checkOwnDirectory}.
 * @returns whether it was created
 */
export function makePrivateDirectory(path: string, sharing?: Sharing): boolean {
  withFileErrors(path, () => create(realPath(dirname(path))));
  try {
    mkdirSync(path, 0o700);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process may have removed the parent just now.
    if (code !== "EEXIST") throw code === "ENOENT" ? error : toFileError(error, path);
  }
  checkOwnDirectory(path, sharing);
  return false;
}

/** Checks that a path is a real directory of this user that nobody else may write to. */
export function checkOwnDirectory(path: string, { refused, hint }: Sharing = {}): void {
  if (!isOwn(path, checkRealDirectory(path), refused))
    throw unsafePath(path, "belongs to another user, or others can write to it", hint);
}

/** Checks that a path is a real directory (not a link) with any owner. */
export function checkRealDirectory(path: string): Stats {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw unsafePath(path, `is ${fileType(stats)}, not a directory`);
  return stats;
}

/** This package's directory for replaceable files of the user. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.XDG_CACHE_HOME ?? "";
  const isWindows = process.platform === "win32";
  const standard = isWindows ? "AppData/Local" : process.platform === "darwin" ? "Library/Caches" : ".cache";
  const preset = (isWindows && env.LOCALAPPDATA) || join(homedir(), standard);
  return join(isAbsolute(configured) ? configured : preset, "archive-frames");
}
