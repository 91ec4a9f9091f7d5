import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { optionObject, wording } from "../errors/wording.js";
import { isOwn } from "../fs/isOwn.js";
import { checkRealDirectory, makeDirectory } from "../fs/makeDirectory.js";
import { unsafePath } from "../fs/unsafePath.js";

/** Group write permission is accepted: a group may share a study, and on some systems every user has their own group. */
const GROUP_WRITE = 0o020;

/**
 * Creates a directory for responses with mode 0700. An existing one must be a real directory (not a link), owned by this user and not
 * world-writable.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function makeStoreDirectory(path: string): void {
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    checkStoreDirectory(path);
  }
}

/**
 * Checks that responses may be stored in a directory, if it exists.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function checkStoreDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const { uid, mode } = checkRealDirectory(path);
  if (isOwn(path, { uid, mode: mode & ~GROUP_WRITE })) return;
  const hint = wording`Use another directory. Snapshots of other users can be replayed: ${optionObject("snapshot", { mode: "replay" })}.`;
  throw unsafePath(path, "belongs to another user, or every user can write to it", hint);
}

/** Resolves the directory that the user named: unlike its subdirectories, it may be a link. */
export function namedDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
