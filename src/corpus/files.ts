import { closeSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { makeDirectory } from "../fs/directories.js";
import { checkRealDirectory, openReceivedFile, readReceivedFile, sha256OfFile } from "../fs/receivedFile.js";

/** Reads a file of a corpus, which may come from somebody else; undefined if there is none. */
export function readInside(dir: string, path: string, maxBytes: number): Buffer | undefined {
  try {
    return readReceivedFile(dir, path, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The path of a file of a corpus, which may come from somebody else, for readers that open it themselves.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a link or a special file, or below a link; the system error if there is none (`ENOENT`)
 */
export function checkedFile(dir: string, path: string): string {
  closeSync(openReceivedFile(dir, path));
  return join(dir, path);
}

/**
 * Creates the directories above a file of a corpus. None of them may be a link.
 *
 * @throws ArchiveError `UNSAFE_PATH`
 */
export function makeParents(dir: string, name: string): void {
  const parts = name.split("/");
  for (let count = 1; count < parts.length; count++) {
    const parent = join(dir, ...parts.slice(0, count));
    makeDirectory(parent);
    checkRealDirectory(parent);
  }
}

/** Files that the Finder and the Explorer create. */
const FILE_MANAGER = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._.+)$/i;

/**
 * Regular files below a directory of a corpus, relative to `dir`, in order.
 *
 * @param withLinks include links and special files
 * @throws ArchiveError `UNSAFE_PATH` if the directory itself, or one above it, is a link
 */
export function filesBelow(dir: string, directory: string, withLinks = false): string[] {
  try {
    const parts = directory.split("/");
    for (const at of parts.keys()) checkRealDirectory(join(dir, ...parts.slice(0, at + 1)));
    const paths = readdirSync(join(dir, directory), { withFileTypes: true }).flatMap((entry) => {
      const path = posix.join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(dir, path, withLinks);
      return (entry.isFile() || withLinks) && !FILE_MANAGER.test(entry.name) ? [path] : [];
    });
    return paths.sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** The hash of a file in the form of the manifest. */
export async function manifestHash(dir: string, path: string): Promise<string> {
  return `sha256:${await sha256OfFile(openReceivedFile(dir, path))}`;
}
