import type { Stats } from "node:fs";
import { FileError } from "../errors/index.js";
import { escaped } from "../util/quoted.js";

/** The error for a path that is not followed, written or deleted, because something else than our own file may be there. */
export function unsafePath(path: string, what: string, hint = "Delete it, or give another path."): FileError {
  // A name in a folder that was received may hold anything.
  const message = `unsafe path: ${escaped(path)} ${what}. Nothing there was changed.`;
  return new FileError(message, { code: "UNSAFE_PATH", hint, path });
}

/** What a path is, for errors. */
export function fileType(
  stats: Pick<Stats, "isSymbolicLink" | "isDirectory" | "isFile" | "isFIFO" | "isSocket">,
): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isDirectory()) return "a folder";
  if (stats.isFile()) return "a file";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}
