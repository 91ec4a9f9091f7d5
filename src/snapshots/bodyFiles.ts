import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { writeWhole } from "../disk/writeWhole.js";
import { damaged } from "./damaged.js";
import type { StoredAnswer } from "./storedAnswer.js";

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** The smallest piece that zlib works on. */
const LEAST_CHUNK = 64;

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
  // Also where it is there: it may have been changed since.
  writeWhole(join(dir, file), packed);
  return { bytes: body.length, sha256: sha256(body), file };
}

/**
 * Reads a body, exactly as it was received.
 *
 * @throws SnapshotError `SNAPSHOT_DAMAGED`, which names the file
 */
export async function readBody(dir: string, { file, bytes }: StoredAnswer): Promise<Buffer> {
  const path = join(dir, file);
  let packed: Buffer;
  try {
    packed = await readFile(path);
  } catch (error) {
    throw damaged(
      path,
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "it is missing" : "it cannot be read",
      error,
    );
  }
  if (!file.endsWith(`/${sha256(packed)}.json.gz`)) throw damaged(path, "its SHA-256 is not the one in its name");
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

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
