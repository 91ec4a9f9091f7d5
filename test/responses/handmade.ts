import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type IndexHeader, type IndexLine, lineOf, type StoredResponse } from "../../src/responses/line.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The first line of an index. */
export const HEADER: IndexHeader = {
  snapshot: "archive-frames",
  format: 3,
  version: "0.1.0",
  source: "https://archive.example",
  baseUrl: "https://archive.example",
  begunAt: "2026-11-21T06:00:00.000Z",
};

/** Describes a response and writes its body to the directory. */
export function responseIn(dir: string, get: string, body: Buffer, more: Partial<StoredResponse> = {}): StoredResponse {
  const packed = gzipSync(body, { level: 9 });
  const name = sha256(packed);
  const file = `bodies/${name.slice(0, 2)}/${name}.json.gz`;
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), packed);
  const time = "2026-11-21T06:00:00.000Z";
  const cost = { requests: 1, retries: 0 };
  return {
    get,
    status: 200,
    sentAt: time,
    receivedAt: time,
    ...cost,
    retrieval: "0123456789abcdef",
    bytes: body.length,
    sha256: sha256(body),
    file,
    ...more,
  };
}

/** Writes a snapshot with one index, as a third party could. */
export function writeSnapshot(dir: string, lines: (dir: string) => readonly object[], head: object = HEADER): string {
  mkdirSync(join(dir, "index"), { recursive: true });
  writeFileSync(join(dir, "index/a.jsonl"), [head, ...lines(dir)].map((line) => lineOf(line as IndexLine)).join(""));
  return dir;
}

/** A page of one mention, and its request. */
export const PAGE = Buffer.from(JSON.stringify({ cursor: "c1", mentions: [{ id: "1", text: "a" }] }));
export const GET = "/mentions?query=climate";
