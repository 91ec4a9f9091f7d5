import { createHash } from "node:crypto";
import { createReadStream, readSync, writevSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { sum } from "../util/sum.js";

/** Reads up to `length` bytes of an open file at a position; fewer at the end of the file. */
export function readBytes(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; ; ) {
    const count = done < length ? readSync(file, bytes, done, length - done, position + done) : 0;
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
}

/** Writes buffers to an open file completely, usually in one system call. */
export function writeBytes(file: number, parts: readonly Buffer[], position?: number): number {
  const total = sum(parts.map((part) => part.length));
  let done = 0;
  for (let rest = parts; done < total; ) {
    let written = writevSync(file, rest, position === undefined ? undefined : position + done);
    done += written;
    rest = rest.flatMap((part) => {
      const skipped = Math.min(written, part.length);
      written -= skipped;
      return skipped < part.length ? [part.subarray(skipped)] : [];
    });
  }
  return total;
}

/** The SHA-256 of an open file in hexadecimal. Closes the file. */
export async function sha256OfFile(file: number): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream("", { fd: file, highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}
