import { closeSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { sha256OfFile as hashOf } from "../fs/fileBytes.js";
import { makeDirectory } from "../fs/makeDirectory.js";
import { checkRealDirectory, openReceivedFile, readReceivedFile } from "../fs/receivedFile.js";

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
    makeDirectory(parent);
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
    const entries = readdirSync(join(dir, directory), { withFileTypes: true }).filter(
      ({ name }) => !isLeftByFileManager(name),
    );
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

/** Whether the Finder or the Explorer have left a file in a directory that they showed. */
export function isLeftByFileManager(name: string): boolean {
  return /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._.+)$/i.test(name);
}

/** The hash of a file as the manifest has it. */
export async function sha256OfFile(dir: string, path: string): Promise<string> {
  return `sha256:${await hashOf(openReceivedFile(dir, path))}`;
}
