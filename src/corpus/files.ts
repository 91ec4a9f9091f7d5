import { closeSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { sha256OfFile as hashOf } from "../fs/fileBytes.js";
import { isOwn } from "../fs/isOwn.js";
import { checkRealDirectory, makeDirectory } from "../fs/makeDirectory.js";
import { openReceivedFile, readReceivedFile } from "../fs/readReceivedFile.js";
import { unsafePath, withFileErrors } from "../fs/toFileError.js";

const WRITABLE_BY_ALL = 0o002;

function makeUnlessThere(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Creates the directory of a corpus, or checks that it is this user's.
 *
 * @throws ArchiveError `UNSAFE_PATH` if another user could change what is in it
 */
export function makeCorpusDirectory(dir: string): void {
  withFileErrors(dir, () => {
    makeDirectory(dirname(dir));
    makeUnlessThere(dir, 0o755);
    const path = realpathSync(dir);
    const stats = statSync(path);
    if (!stats.isDirectory()) throw unsafePath(dir, "is not a directory", "Give the path of a directory.");
    if (!isOwn(path, stats, WRITABLE_BY_ALL))
      throw unsafePath(dir, "belongs to another user, or others can write to it");
  });
}

/** Reads a file of a corpus that somebody else may have made; undefined if there is none. */
export function readInside(dir: string, path: string, maxBytes: number): Buffer | undefined {
  try {
    return readReceivedFile(dir, path, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The path of a file in a corpus that somebody else may have made, for readers that open it themselves.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a link or a special file, or below a link; the system error if there is none (`ENOENT`)
 */
export function checkedFile(dir: string, path: string): string {
  closeSync(openReceivedFile(dir, path));
  return join(dir, path);
}

/**
 * The path of a file to be written to a corpus. Directories above it are created; none of them may be a link.
 *
 * @throws ArchiveError `UNSAFE_PATH`
 */
export function placeInside(dir: string, name: string): string {
  const parents = name.split("/").slice(0, -1);
  for (const at of parents.keys()) {
    const parent = join(dir, ...parents.slice(0, at + 1));
    makeUnlessThere(parent);
    checkRealDirectory(parent);
  }
  return join(dir, name);
}

/**
 * Regular files below a directory of a corpus, or of all of it, relative to `dir`, in order. Links below it are left out.
 *
 * @throws ArchiveError `UNSAFE_PATH` if the directory itself, or one above it, is a link
 */
export function filesBelow(dir: string, directory = ""): string[] {
  try {
    const parts = directory.split("/");
    for (const at of parts.keys()) checkRealDirectory(join(dir, ...parts.slice(0, at + 1)));
    const entries = readdirSync(join(dir, directory), { withFileTypes: true });
    return entries
      .flatMap((entry) => {
        const path = posix.join(directory, entry.name);
        return entry.isDirectory() ? filesBelow(dir, path) : entry.isFile() ? [path] : [];
      })
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

export async function sha256OfFile(dir: string, path: string): Promise<string> {
  return hashOf(openReceivedFile(dir, path));
}
