import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isOwn } from "../fs/isOwn.js";
import { checkRealDirectory, makeDirectory } from "../fs/makeDirectory.js";
import { unsafePath } from "../fs/unsafePath.js";

/** Write permission of the group: a study may belong to a group, and some systems give every user a group of their own. */
const GROUP = 0o020;

/**
 * Makes a folder to store answers in, with mode 0700. One that exists must be a real folder (no link) of this user, which not everybody
 * can write to.
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
 * Makes sure that answers may be stored in a folder, if it exists.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function checkStoreDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const { uid, mode } = checkRealDirectory(path);
  if (isOwn(path, { uid, mode: mode & ~GROUP })) return;
  const hint = 'Give another folder. A snapshot of somebody else can be replayed: { mode: "replay" }.';
  throw unsafePath(path, "belongs to another user, or every user can write to it", hint);
}

/** The folder that a user has named: unlike those in it, it may be a link. */
export function namedDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
