import { chmodSync, copyFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../fs/makeDirectory.js";
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
      const target = join(dir, path);
      if (typeof content === "string" || content instanceof Uint8Array) return writeFileAtomic(target, content, 0o600);
      try {
        makeDirectory(dirname(target));
        chmodSync(content.file, 0o600);
        moveFile(content.file, target);
      } catch (error) {
        throw toFileError(error, target);
      }
    },
    async read(path, maxBytes) {
      try {
        return readReceivedFile(dir, path, maxBytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    list: async (directory) => filesBelow(dir, directory),
    remove: async (path) => rmSync(join(dir, path), { force: true }),
  };
}

/** Regular files below a directory, relative to `dir`, in order. Links are left out. */
export function filesBelow(dir: string, directory: string): string[] {
  try {
    const entries = readdirSync(join(dir, directory), { withFileTypes: true });
    return entries
      .flatMap((entry) => {
        const path = `${directory}/${entry.name}`;
        return entry.isDirectory() ? filesBelow(dir, path) : entry.isFile() ? [path] : [];
      })
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Renames a file, also onto another file system. */
function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    const beside = `${to}.partial`;
    copyFileSync(from, beside);
    renameSync(beside, to);
    rmSync(from);
  }
}
