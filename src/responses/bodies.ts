import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { readReceivedFile } from "../fs/receivedFile.js";
import { sha256Of } from "../util/sha256Of.js";
import type { ResponseLine } from "./log.js";

export const BODIES = "bodies";
/** A body that needs less is in its line: each of thousands of lookups would otherwise take a block of the disk. */
export const BLOCK_BYTES = 4096;

export const packBody: (body: Buffer) => Promise<Buffer> = promisify(gzip);

/** The file of a body, relative to the directory of the store. */
export function bodyFile({ sha256 }: ResponseLine): string {
  return `${BODIES}/${sha256}.gz`;
}

/** Reads and verifies a body. Never unpacks more than its recorded size: it may be a decompression bomb. */
export async function readBody(dir: string, line: ResponseLine, maxBytes: number): Promise<Buffer> {
  if (line.bytes > maxBytes) throw new Error(`it has ${line.bytes} bytes, more than maxBodyBytes`);
  const size = Math.max(64, line.bytes);
  const { gzip } = line;
  const packed = gzip ? Buffer.from(gzip, "base64") : readReceivedFile(dir, bodyFile(line), size * 1.1 + 1000);
  const body = await promisify(gunzip)(packed, { chunkSize: size, maxOutputLength: size });
  if (sha256Of(body) !== line.sha256) throw new Error("its content was changed");
  return body;
}
