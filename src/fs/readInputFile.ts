import { closeSync, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { followLinks } from "./followLinks.js";
import { openReceivedFile, readUpTo } from "./readReceivedFile.js";
import { fileType, toInputError, unreadable, unsafePath } from "./toFileError.js";

/**
 * The real path of a file named by the user, for readers that open it themselves. Ensures a regular file, because reading a FIFO or
 * device could block or never end, and no link of another user on the way.
 *
 * @throws ArchiveError `FILE_ERROR` if there is no such file, `UNSAFE_PATH` for a FIFO, a device or a link of another user
 */
export function inputFile(path: string): string {
  return readable(path, () => {
    const real = followLinks(path);
    const stats = lstatSync(real);
    if (stats.isDirectory()) throw unreadable(path, "is not a file");
    if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`, "Give the path of a file.");
    return real;
  });
}

/** Opens a file named by the user, like {@link inputFile}. */
export function openInputFile(path: string): number {
  const real = inputFile(path);
  return readable(path, () => openReceivedFile(dirname(real), basename(real)));
}

/** Reads a file of at most `maxBytes` named by the user, like {@link inputFile}. */
export function readInputFile(path: string, maxBytes: number): Buffer {
  const file = openInputFile(path);
  try {
    return readable(path, () => readUpTo(file, path, maxBytes));
  } finally {
    closeSync(file);
  }
}

function readable<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toInputError(error, path);
  }
}
