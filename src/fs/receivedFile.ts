import { closeSync, fstatSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { readBytes } from "./fileBytes.js";
import { fileType, unsafePath } from "./fileErrors.js";

/**
 * Opens a file for reading in a directory that somebody else may have created. Neither the file nor a directory between it and `root`
 * may be a link; FIFOs and devices are rejected without blocking.
 */
export function openReceivedFile(root: string, name: string): number {
  const parts = name.split("/");
  const path = join(root, ...parts);
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw unsafePath(path, `leads out of ${root}`);
  for (let depth = 1; depth < parts.length; depth++) checkRealDirectory(join(root, ...parts.slice(0, depth)));
  return openRegularFile(path, "r");
}

/** Reads a file in a directory that somebody else may have created, like {@link openReceivedFile}. */
export function readReceivedFile(root: string, name: string, maxBytes: number): Buffer {
  return readUpTo(openReceivedFile(root, name), join(root, name), maxBytes);
}

/** Opens a file that is neither a link nor a special file: opening a FIFO would block. */
function openRegularFile(path: string, flags: "r" | "r+"): number {
  const stats = lstatSync(path);
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
  return openSync(path, flags);
}

/** Checks that a path is a directory, not a link to one. */
export function checkRealDirectory(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw unsafePath(path, `is ${fileType(stats)}, not a directory`);
}

/** Reads an open file of at most `maxBytes`, and closes it. */
export function readUpTo(file: number, path: string, maxBytes: number): Buffer {
  try {
    const { size } = fstatSync(file);
    // Only the checked size, even if more is appended meanwhile.
    if (size <= maxBytes) return readBytes(file, 0, size);
  } finally {
    closeSync(file);
  }
  throw new ArchiveError(`${path} is larger than ${maxBytes.toLocaleString("en-US")} bytes.`, {
    code: "FILE_ERROR",
    hint: "It was not written by this package, or was changed since. Restore it or delete it.",
    path,
  });
}
