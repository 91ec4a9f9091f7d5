import { closeSync, constants, fstatSync, lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { readBytes } from "./fileBytes.js";
import { checkRealDirectory } from "./makeDirectory.js";
import { openChecked } from "./openPrivateFile.js";
import { fileType, unsafePath } from "./toFileError.js";

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
  checkRegular(path, lstatSync(path));
  return openChecked(path, constants.O_RDONLY, checkRegular);
}

/** Reads a file in a directory that somebody else may have created, like {@link openReceivedFile}. */
export function readReceivedFile(root: string, name: string, maxBytes: number): Buffer {
  const file = openReceivedFile(root, name);
  try {
    return readUpTo(file, join(root, name), maxBytes);
  } finally {
    closeSync(file);
  }
}

export function readUpTo(file: number, path: string, maxBytes: number): Buffer {
  const { size } = fstatSync(file);
  if (size > maxBytes) throw tooLarge(path, maxBytes);
  // Only the checked size, even if more is appended meanwhile.
  return readBytes(file, 0, size);
}

function checkRegular(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
}

function tooLarge(path: string, maxBytes: number): ArchiveError {
  return new ArchiveError(`${path} is larger than ${maxBytes.toLocaleString("en-US")} bytes.`, {
    code: "FILE_ERROR",
    hint: "It was not written by this package, or was changed since. Restore it or delete it.",
    path,
  });
}
