import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { FileError, SnapshotError } from "../errors/index.js";
import { inApi, wording } from "../errors/wording.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { toFileError } from "../fs/toFileError.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { StoredResponse } from "./line.js";
import { damaged } from "./snapshotErrors.js";
import { makeStoreDirectory, namedDirectory } from "./storeDirectory.js";

/** The file of a body, and the size of its content. */
export type BodyFile = Pick<StoredResponse, "file" | "bytes">;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Minimum chunk size of zlib. */
const MIN_CHUNK_BYTES = 64;
/** Maximum compression ratio of gzip. */
const MAX_COMPRESSION_RATIO = 1032;

/** A compressed body, and the name of its file. */
export interface PackedBody {
  readonly packed: Buffer;
  readonly stored: Pick<StoredResponse, "bytes" | "sha256" | "file">;
}

/** Compresses a body. */
export async function packBody(body: Buffer): Promise<PackedBody> {
  const packed = await pack(body);
  const name = sha256(packed);
  const file = `bodies/${name.slice(0, 2)}/${name}.json.gz`;
  return { packed, stored: { bytes: body.length, sha256: sha256(body), file } };
}

/**
 * Stores a compressed body in a file named after the SHA-256 of its content: `sha256sum` verifies it, and equal bodies share a file.
 *
 * @throws FileError
 */
export async function storeBody(dir: string, body: Buffer): Promise<PackedBody["stored"]> {
  const { packed, stored } = await packBody(body);
  const { file } = stored;
  const real = namedDirectory(dir);
  try {
    for (const directory of [real, join(real, "bodies"), join(real, dirname(file))]) makeStoreDirectory(directory);
    // Even if it exists: it may have been changed.
    writeFileAtomic(join(real, file), packed, 0o600);
  } catch (error) {
    throw toFileError(error, join(dir, file));
  }
  return stored;
}

/**
 * Reads a body, exactly as it was received.
 *
 * @param maxBodyBytes maximum size of the unpacked body
 * @throws SnapshotError `SNAPSHOT_DAMAGED` or `BODY_TOO_LARGE`; both name the file
 */
export async function readBody(dir: string, response: BodyFile, maxBodyBytes: number): Promise<Buffer> {
  const { file, bytes } = response;
  const path = join(dir, file);
  if (bytes <= maxBodyBytes) return unpackBody(path, readPacked(dir, response), response);
  throw new SnapshotError(`${path} contains a body of ${bytes} bytes, more than the allowed ${maxBodyBytes}.`, {
    code: "BODY_TOO_LARGE",
    hint: wording`${inApi("Raise maxBodyBytes if you trust the author of the snapshot.")}`,
    path,
  });
}

/**
 * Unpacks a body whose checksum was verified.
 *
 * @param path what errors call it
 * @throws SnapshotError `SNAPSHOT_DAMAGED`
 */
export async function unpackBody(path: string, packed: Buffer, { bytes }: BodyFile): Promise<Buffer> {
  try {
    // Never unpack more than the recorded size: a foreign body may be a decompression bomb.
    const chunkSize = Math.max(MIN_CHUNK_BYTES, bytes);
    const body = await unpack(packed, { chunkSize, maxOutputLength: chunkSize });
    if (body.length === bytes) return body;
  } catch (error) {
    throw damaged(path, "it cannot be unpacked", error);
  }
  throw damaged(path, `it does not contain ${bytes} bytes`);
}

/**
 * Reads the compressed file of a body and verifies its checksum and size.
 *
 * @throws SnapshotError `SNAPSHOT_DAMAGED`
 */
export function readPacked(dir: string, response: BodyFile): Buffer {
  const path = join(dir, response.file);
  let packed: Buffer;
  try {
    packed = readReceivedFile(dir, response.file, maxPackedBytes(response.bytes));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const isStrange = error instanceof FileError && "it is not a regular file of the snapshot, or larger than expected";
    throw damaged(path, isStrange || (isMissing ? "it is missing" : "it cannot be read"), error);
  }
  return checkPacked(path, packed, response);
}

/**
 * Verifies the checksum and the size of a compressed body.
 *
 * @throws SnapshotError `SNAPSHOT_DAMAGED`
 */
export function checkPacked(path: string, packed: Buffer, { file, bytes }: BodyFile): Buffer {
  if (!file.endsWith(`/${sha256(packed)}.json.gz`)) throw damaged(path, "its SHA-256 is not the one in its name");
  if (bytes > packed.length * MAX_COMPRESSION_RATIO) throw damaged(path, `it does not contain ${bytes} bytes`);
  return packed;
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Upper bound for the compressed size of a body. */
export function maxPackedBytes(bytes: number): number {
  return bytes + Math.ceil(bytes / 1000) + 1000;
}
