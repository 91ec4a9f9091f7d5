import { closeSync, constants, fstatSync, lstatSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { FileError } from "../errors/index.js";
import { checkRealDirectory } from "./makePrivateDirectory.js";
import { openChecked } from "./openPrivateFile.js";
import { fileType, unsafePath } from "./unsafePath.js";

/**
 * Opens a file in a folder that somebody else may have made, for reading. Neither the file nor a folder between it and `root` may be a
 * link; a FIFO or a device is refused without waiting for it.
 *
 * @param root the folder that was received; it may be a link itself
 * @param name the path below it, with `/` between its parts
 * @returns the file descriptor
 * @throws FileError `UNSAFE_PATH`. The system's own error where it cannot be opened (`ENOENT`)
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

/**
 * Reads a file in a folder that somebody else may have made, like {@link openReceivedFile}.
 *
 * @param maxBytes a larger file is refused before it is read
 * @throws FileError `UNSAFE_PATH`, or `FILE_ERROR` where it is larger. The system's own error where it cannot be read (`ENOENT`)
 */
export function readReceivedFile(root: string, name: string, maxBytes: number): Buffer {
  const file = openReceivedFile(root, name);
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw tooLarge(join(root, name), maxBytes);
    const bytes = Buffer.allocUnsafeSlow(size);
    let length = 0;
    // No further than the size that was checked, whatever is appended meanwhile.
    while (length < size) {
      const count = readSync(file, bytes, length, size - length, length);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function checkRegular(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
}

function tooLarge(path: string, maxBytes: number): FileError {
  return new FileError(`${path} is larger than ${maxBytes.toLocaleString("en-US")} bytes.`, {
    code: "FILE_ERROR",
    hint: "It was not written by this package, or was changed since.",
    path,
  });
}
