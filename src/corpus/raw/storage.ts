import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { checkRealDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";

/** Where the files of a corpus are. Paths are relative and use `/`. */
export interface CorpusStorage {
  /** Puts a file there as a whole: bytes, or the path of a local file that is not needed afterwards. */
  put(path: string, content: string | Uint8Array | { readonly file: string }): Promise<void>;
  /** @returns undefined if there is no such file */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
  /** The paths of all files below a directory, in order. */
  list(directory: string): Promise<string[]>;
  remove(path: string): Promise<void>;
}

/** The files of a corpus in a directory. Links are not followed. */
export function directoryStorage(dir: string): CorpusStorage {
  return {
    async put(path, content) {
      try {
        const target = placeInside(dir, path);
        if (typeof content === "string" || content instanceof Uint8Array)
          return writeFileAtomic(target, content, 0o600);
        chmodSync(content.file, 0o600);
        renameSync(content.file, target);
      } catch (error) {
        throw toFileError(error, join(dir, path));
      }
    },
    read: async (path, maxBytes) => readInside(dir, path, maxBytes),
    list: async (directory) => filesBelow(dir, directory),
    remove: async (path) => rmSync(placeInside(dir, path), { force: true }),
  };
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
 * The path of a file to be written to a corpus. Directories above it are created; none of them may be a link.
 *
 * @throws FileError `UNSAFE_PATH`
 */
export function placeInside(dir: string, name: string): string {
  const parents = name.split("/").slice(0, -1);
  for (const at of parents.keys()) {
    const parent = join(dir, ...parents.slice(0, at + 1));
    try {
      mkdirSync(parent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      checkRealDirectory(parent);
    }
  }
  return join(dir, name);
}

/**
 * Regular files below a directory of a corpus, or of all of it, relative to `dir`, in order. Links below it are left out.
 *
 * @throws FileError `UNSAFE_PATH` if the directory itself, or one above it, is a link
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
