import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import {
  lineOf,
  type SnapshotHeader,
  type SnapshotLine,
  type StoredResponse,
} from "../../src/responses/responseFile.js";

/** The first line of a file. */
export const HEADER: SnapshotHeader = {
  snapshot: "archive-frames",
  format: 4,
  version: "0.1.0",
  source: "https://archive.example",
  baseUrl: "https://archive.example",
  begunAt: "2026-11-21T06:00:00.000Z",
};

/** Compressed bodies, by the SHA-256 of the body. */
const packed = new Map<string, Buffer>();

/** Describes a response with a body, which {@link writeSnapshot} puts after the first line that names it. */
export function responseOf(get: string, body: Buffer, more: Partial<StoredResponse> = {}): StoredResponse {
  const sha256 = createHash("sha256").update(body).digest("hex");
  const bytes = packed.get(sha256) ?? gzipSync(body);
  packed.set(sha256, bytes);
  const time = "2026-11-21T06:00:00.000Z";
  return {
    get,
    status: 200,
    sentAt: time,
    receivedAt: time,
    requests: 1,
    retries: 0,
    retrieval: "0123456789abcdef",
    bytes: body.length,
    sha256,
    size: bytes.length,
    crc32: crc32(bytes),
    ...more,
  };
}

/** Writes a snapshot with one file, as a third party could. */
export function writeSnapshot(dir: string, lines: readonly object[], head: object = HEADER): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const written = new Set<string>();
  const parts = [head, ...lines].flatMap((line) => {
    const { sha256 = "" } = line as Partial<StoredResponse>;
    if (!packed.has(sha256)) return [Buffer.from(lineOf(line as SnapshotLine))];
    const isKnown = written.has(sha256);
    written.add(sha256);
    const own = isKnown ? { ...line, size: 0, crc32: 0 } : line;
    return [Buffer.from(lineOf(own as SnapshotLine)), isKnown ? Buffer.alloc(0) : (packed.get(sha256) as Buffer)];
  });
  writeFileSync(join(dir, FILE), Buffer.concat(parts));
  return dir;
}

/** The name of the file of a handmade snapshot. */
export const FILE = "a.responses";

/** A page of one mention, and its request. */
export const PAGE = Buffer.from(JSON.stringify({ cursor: "c1", mentions: [{ id: "1", text: "a" }] }));
export const GET = "/mentions?query=climate";
