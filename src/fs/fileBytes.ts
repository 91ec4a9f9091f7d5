import { createHash } from "node:crypto";
import { createReadStream, readSync } from "node:fs";
import { pipeline } from "node:stream/promises";

/** Reads up to `length` bytes of an open file at a position; fewer at the end of the file. */
export function readBytes(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; ; ) {
    const count = done < length ? readSync(file, bytes, done, length - done, position + done) : 0;
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
}

/** The SHA-256 of an open file in hexadecimal. Closes the file. */
export async function sha256OfFile(file: number): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream("", { fd: file, highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}
