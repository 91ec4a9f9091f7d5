import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { FileError, SnapshotError } from "../errors/index.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { toFileError } from "../fs/toFileError.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { StoredAnswer } from "./indexLine.js";
import { damaged } from "./snapshotErrors.js";
import { makeStoreDirectory, namedDirectory } from "./storeDirectory.js";

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** The smallest piece that zlib works on. */
const LEAST_CHUNK = 64;
/** No byte of a compressed file stands for more bytes. */
const MAX_RATIO = 1032;

/**
 * Stores a body, compressed, in a file that is called after the SHA-256 of what is in it: `sha256sum` verifies it, and two
 * who write the same body write the same file.
 *
 * @throws FileError
 */
export async function storeBody(dir: string, body: Buffer): Promise<Pick<StoredAnswer, "bytes" | "sha256" | "file">> {
  const packed = await pack(body);
  const name = sha256(packed);
  const file = `bodies/${name.slice(0, 2)}/${name}.json.gz`;
  const real = namedDirectory(dir);
  try {
    for (const folder of [real, join(real, "bodies"), join(real, "bodies", name.slice(0, 2))])
      makeStoreDirectory(folder);
    // Also where it is there: it may have been changed since.
    writeFileAtomic(join(real, file), packed, 0o600);
  } catch (error) {
    throw toFileError(error, join(dir, file));
  }
  return { bytes: body.length, sha256: sha256(body), file };
}

/**
 * Reads a body, exactly as it was received.
 *
 * @param maxBodyBytes a larger one is not unpacked
 * @throws SnapshotError `SNAPSHOT_DAMAGED` or `BODY_TOO_LARGE`, which names the file
 */
export async function readBody(dir: string, answer: StoredAnswer, maxBodyBytes: number): Promise<Buffer> {
  const { file, bytes } = answer;
  const path = join(dir, file);
  if (bytes > maxBodyBytes) throw tooLarge(path, bytes, maxBodyBytes);
  const packed = readPacked(dir, answer);
  try {
    // In one piece, and no larger than it was: a body from elsewhere may be made to fill the memory.
    const chunkSize = Math.max(LEAST_CHUNK, bytes);
    const body = await unpack(packed, { chunkSize, maxOutputLength: chunkSize });
    if (body.length === bytes) return body;
  } catch (error) {
    throw damaged(path, "it cannot be unpacked", error);
  }
  throw damaged(path, `it does not hold ${bytes} bytes`);
}

/**
 * The file of a body, compressed as it is, after a look at its check sum and its size.
 *
 * @throws SnapshotError `SNAPSHOT_DAMAGED`
 */
export function readPacked(dir: string, { file, bytes }: StoredAnswer): Buffer {
  const path = join(dir, file);
  let packed: Buffer;
  try {
    packed = readReceivedFile(dir, file, mostPacked(bytes));
  } catch (error) {
    throw damaged(path, unreadable(error), error);
  }
  if (!file.endsWith(`/${sha256(packed)}.json.gz`)) throw damaged(path, "its SHA-256 is not the one in its name");
  if (bytes > packed.length * MAX_RATIO) throw damaged(path, `it does not hold ${bytes} bytes`);
  return packed;
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The most that compressing makes of so many bytes. */
function mostPacked(bytes: number): number {
  return bytes + Math.ceil(bytes / 1000) + 1000;
}

function unreadable(error: unknown): string {
  if (error instanceof FileError) return "it is not a file of this folder, or too large for what it says it holds";
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? "it is missing" : "it cannot be read";
}

function tooLarge(path: string, bytes: number, maxBodyBytes: number): SnapshotError {
  return new SnapshotError(`${path} holds a body of ${bytes} bytes, and maxBodyBytes is ${maxBodyBytes}.`, {
    code: "BODY_TOO_LARGE",
    hint: "Raise maxBodyBytes if you trust whoever made the snapshot.",
    path,
  });
}
