import { lstatSync, realpathSync } from "node:fs";
import { optionObject, wording } from "../errors/wording.js";
import { checkOwnDirectory, makePrivateDirectory } from "../fs/makeDirectory.js";

/** A group may share a study, and on some systems every user has their own group. */
const SHARING = {
  refused: 0o002,
  hint: wording`Use another directory. Snapshots of other users can be replayed: ${optionObject("snapshot", { mode: "replay" })}.`,
};

/**
 * Creates a directory for responses with mode 0700. An existing one must be a real directory (not a link), owned by this user and not
 * world-writable.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function makeStoreDirectory(path: string): void {
  makePrivateDirectory(path, SHARING);
}

/**
 * Checks that responses may be stored in a directory, if it exists.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function checkStoreDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) checkOwnDirectory(path, SHARING);
}

/** Resolves the directory that the user named: unlike its subdirectories, it may be a link. */
export function namedDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
