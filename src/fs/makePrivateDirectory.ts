import { lstatSync, mkdirSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { isOwn } from "./isOwn.js";
import { makeDirectory } from "./makeDirectory.js";
import { fileType, unsafePath } from "./unsafePath.js";

/**
 * Makes a folder of ours with mode 0700, and those above it as usual. One that exists must be a real folder (no link), which this user
 * owns and nobody else may write to.
 *
 * @returns whether it was made now
 * @throws FileError `UNSAFE_PATH`
 */
export function makePrivateDirectory(path: string): boolean {
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const stats = checkRealDirectory(path);
  if (!isOwn(path, stats)) throw unsafePath(path, "belongs to another user, or others can write to it");
  return false;
}

/**
 * Makes sure that a path is a real folder (no link), whoever owns it.
 *
 * @throws FileError `UNSAFE_PATH`. The system's own error where there is nothing (`ENOENT`)
 */
export function checkRealDirectory(path: string): Stats {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw unsafePath(path, `is ${fileType(stats)}, not a folder`);
  return stats;
}
