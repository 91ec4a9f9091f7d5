import { openSync, realpathSync, statSync } from "node:fs";
import { fileType, toInputError, unreadable, unsafePath } from "./fileErrors.js";
import { readUpTo } from "./receivedFile.js";

/**
 * The real path of a file named by the user, for readers that open it themselves. Ensures a regular file, because reading a FIFO or
 * device could block or never end.
 *
 * @throws ArchiveError `FILE_ERROR` if there is no such file, `UNSAFE_PATH` for a FIFO or a device
 */
export function inputFile(path: string): string {
  return withInputErrors(path, () => {
    const stats = statSync(path);
    if (stats.isDirectory()) throw unreadable(path, "is not a file");
    if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`, "Give the path of a file.");
    return realpathSync(path);
  });
}

/** Opens a file named by the user, like {@link inputFile}. */
export function openInputFile(path: string): number {
  const real = inputFile(path);
  return withInputErrors(path, () => openSync(real, "r"));
}

/** Reads a file of at most `maxBytes` named by the user, like {@link inputFile}. */
export function readInputFile(path: string, maxBytes: number): Buffer {
  return readUpTo(openInputFile(path), path, maxBytes);
}

function withInputErrors<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toInputError(error, path);
  }
}
