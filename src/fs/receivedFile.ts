import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ArchiveError } from "../errors/index.js";
import { fileType, toInputError, unreadable, unsafePath } from "./fileErrors.js";

/**
 * Opens a file for reading in a directory that someone else may have created. Neither the file nor a directory between it and `root`
 * may be a link; FIFOs and devices are rejected without blocking.
 */
export function openReceivedFile(root: string, name: string): number {
  const parts = name.split("/");
  const path = join(root, ...parts);
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw unsafePath(path, `leads out of ${root}`);
  for (let depth = 1; depth < parts.length; depth++) checkRealDirectory(join(root, ...parts.slice(0, depth)));
  return openRegularFile(path);
}

/** Reads a file in a directory that someone else may have created, like {@link openReceivedFile}. */
export function readReceivedFile(root: string, name: string, maxBytes: number): Buffer {
  return readUpTo(openReceivedFile(root, name), join(root, name), maxBytes);
}

/** Opens a file that is neither a link nor a special file: opening a FIFO would block. */
function openRegularFile(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
  return openSync(path, "r");
}

/** Checks that a path is a directory, not a link to one. */
export function checkRealDirectory(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw unsafePath(path, `is ${fileType(stats)}, not a directory`);
}

/** Reads an open file of at most `maxBytes`, and closes it. */
function readUpTo(file: number, path: string, maxBytes: number): Buffer {
  try {
    const { size } = fstatSync(file);
    // Only the checked size, even if more is appended meanwhile.
    if (size <= maxBytes) return readBytes(file, size);
  } finally {
    closeSync(file);
  }
  throw new ArchiveError(`${path} is larger than ${maxBytes.toLocaleString("en-US")} bytes.`, {
    code: "FILE_ERROR",
    hint: "It was not written by this package, or was changed since. Restore it or delete it.",
    path,
  });
}

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

/** Reads up to `length` bytes of an open file from its start; fewer if it is shorter. */
function readBytes(file: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let size = 0; ; ) {
    const count = size < length ? readSync(file, bytes, size, length - size, size) : 0;
    if (count === 0) return bytes.subarray(0, size);
    size += count;
  }
}

/** The SHA-256 of an open file in hexadecimal. Closes the file. */
export async function sha256OfFile(file: number): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream("", { fd: file, highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}
