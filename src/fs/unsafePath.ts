import type { Stats } from "node:fs";
import { FileError } from "../errors/index.js";
import { escaped } from "../util/quoted.js";

/** The error for a path that was not followed, written or deleted because it may not be our own. */
export function unsafePath(path: string, what: string, hint: string = "Delete it, or give another path."): FileError {
  // A name in a received directory may contain anything.
  const message = `unsafe path: ${escaped(path)} ${what}. Nothing was changed.`;
  return new FileError(message, { code: "UNSAFE_PATH", hint, path });
}

export function fileType(
  stats: Pick<Stats, "isSymbolicLink" | "isDirectory" | "isFile" | "isFIFO" | "isSocket">,
): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isDirectory()) return "a directory";
  if (stats.isFile()) return "a file";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}
