import { fstatSync } from "node:fs";
import { crc32 } from "node:zlib";
import { readBytes, writeBytes } from "../fs/fileBytes.js";
import type { Cost, ServiceResponse } from "../service/http/requester.js";
import { isObject } from "../util/isObject.js";

/** A response without its body, and the bytes that follow its line. */
export interface RecordedResponse extends Cost {
  /** The request: path and query. */
  readonly get: string;
  readonly status: number;
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  readonly receivedAt: string;
  /** See `ServiceResponse.redactions`. */
  readonly redactions?: number;
  /** See `ServiceResponse.resumed`. */
  readonly resumed?: true;
  readonly bytes: number;
  /** The number of bytes that follow the line: 0 if the body is stored elsewhere. */
  readonly size: number;
  /** Their checksum. */
  readonly crc32: number;
}

/** The first line of a journal, which identifies its search. */
export interface JournalHeader {
  readonly journal: "archive-frames";
  readonly search: Readonly<Record<string, unknown>>;
}

export type JournalLine = JournalHeader | RecordedResponse;

/** The first line of a snapshot file. */
export interface SnapshotHeader {
  readonly snapshot: "archive-frames";
  readonly format: 4;
  readonly version: string;
  /** See `Provenance.source` and `Provenance.baseUrl`. */
  readonly source: string;
  readonly baseUrl: string;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
}

/** A response in a snapshot. Its compressed body follows, unless an earlier line has the same body. */
export interface StoredResponse extends RecordedResponse {
  /** Id of its retrieval. */
  readonly retrieval: string;
  /** SHA-256 of the body in hexadecimal. */
  readonly sha256: string;
}

/** A pagination in a snapshot that ended without an error. */
export interface FinishedPagination {
  /** Id of its retrieval. */
  readonly finished: string;
  /** Rows received; null means all rows of the search. */
  readonly rows: number | null;
}

export type SnapshotEntry = StoredResponse | FinishedPagination;

export type SnapshotLine = SnapshotHeader | SnapshotEntry;

export type Line = SnapshotLine | JournalLine;

export function lineOf(content: Line): string {
  const text = JSON.stringify(content);
  return `${text.slice(0, -1)}${CRC}${checksum(text)}"}\n`;
}

const CRC = ',"crc":"';
/** The end of a complete line. */
const LINE_END = /,"crc":".{8}"\}/;
/** From the comma before the checksum to the end of the line. */
const TAIL_LENGTH = CRC.length + 8 + '"}'.length;

/** Parses a line without its newline; undefined if it was changed or is of another kind. */
export function readLine<T>(line: string, isExpected: (content: Unchecked) => content is Unchecked & T): T | undefined {
  const text = `${line.slice(0, -TAIL_LENGTH)}}`;
  if (line.slice(-TAIL_LENGTH) !== `${CRC}${checksum(text)}"}`) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) && isExpected(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

export function recorded(get: string, response: Omit<ServiceResponse, "headers">, stored: Buffer): RecordedResponse {
  const { status, sentAt, receivedAt, requests, retries, redactions, resumed, body } = response;
  const flags = { ...(redactions && { redactions }), ...(resumed && { resumed }) };
  const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
  const bytes = { bytes: body.length, size: stored.length, crc32: crc32(stored) };
  return { get, status, ...times, requests, retries, ...flags, ...bytes };
}

export function responseOf(members: RecordedResponse, body: Buffer): ServiceResponse {
  const { status, requests, retries, redactions, resumed } = members;
  const flags = { ...(redactions && { redactions }), ...(resumed && { resumed }) };
  const times = { sentAt: new Date(members.sentAt), receivedAt: new Date(members.receivedAt) };
  return { status, body, headers: {}, ...times, requests, retries, ...flags };
}

/** A line that is not validated yet. */
export type Unchecked = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const MAX_TEXT = 2 ** 20;
/** Control characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && value.length <= MAX_TEXT && pattern.test(value);
const count =
  (max: number, min = 0): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
const isCount = count(Number.MAX_SAFE_INTEGER);
const isCost = count(1_000_000);
const isText = matches(/./su);
const isId = matches(/^[0-9a-f]{16}$/);
const isIsoTime = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const isTimestamp: Check = (value) => isIsoTime(value) && !Number.isNaN(Date.parse(value as string));
const isPath = matches(/^\/[^/\\]/);
const isRequest: Check = (value) =>
  isPath(value) && !INVISIBLE.test(value as string) && URL.canParse(value as string, "http://x");

const RESPONSE: Readonly<Record<string, Check>> = {
  requests: isCost,
  retries: isCost,
  status: count(599, 200),
  sentAt: isTimestamp,
  receivedAt: isTimestamp,
  redactions: (value) => value === undefined || isCount(value),
  resumed: (value) => value === undefined || value === true,
  bytes: isCount,
  size: isCount,
  crc32: count(2 ** 32 - 1),
};
const isCountOrNull: Check = (value) => value === null || isCount(value);

const JOURNALED = Object.entries({
  ...RESPONSE,
  get: (value: unknown) => typeof value === "string",
  status: count(299, 200),
});
const STORED = Object.entries({ ...RESPONSE, get: isRequest, retrieval: isId, sha256: matches(/^[0-9a-f]{64}$/) });
const FINISHED = Object.entries({ finished: isId, rows: isCountOrNull });
const HEADER = Object.entries({
  snapshot: matches(/^archive-frames$/),
  format: count(4, 4),
  version: isText,
  source: isText,
  baseUrl: isText,
  begunAt: isTimestamp,
});

const fits = (content: Unchecked, checks: ReadonlyArray<readonly [string, Check]>): boolean =>
  checks.every(([name, check]) => check(content[name]));

export function isJournalLine(content: Unchecked): content is Unchecked & JournalLine {
  if ("journal" in content) return content.journal === "archive-frames" && isObject(content.search);
  return fits(content, JOURNALED) && content.size === content.bytes;
}

const MAX_COMPRESSION_RATIO = 1032;

function isPlausible({ bytes, size }: StoredResponse): boolean {
  return size === 0 || (size <= bytes * 1.001 + 1000 && bytes <= size * MAX_COMPRESSION_RATIO);
}

/** Snapshots are untrusted: accepts only what this package writes. */
export function isSnapshotLine(content: Unchecked): content is Unchecked & SnapshotLine {
  if ("snapshot" in content) return fits(content, HEADER);
  if ("finished" in content) return fits(content, FINISHED);
  return fits(content, STORED) && isPlausible(content as unknown as StoredResponse);
}

export function isSnapshotHeader(line: SnapshotLine): line is SnapshotHeader {
  return "snapshot" in line;
}

export function isStoredResponse(line: SnapshotLine): line is StoredResponse {
  return !isSnapshotHeader(line) && !("finished" in line);
}

/** Bytes to read at once, and the maximum length of a line. */
const [CHUNK_BYTES, MAX_LINE_BYTES] = [2 ** 16, 2 ** 25];

/** A line of a file, its offset, and the offset of the body that follows it. */
export interface Entry<T> {
  readonly line: T;
  readonly at: number;
  readonly bodyAt: number;
}

/** The content of a file up to its end or the first damage. */
export interface ResponseFileContent<T> {
  readonly entries: ReadonlyArray<Entry<T>>;
  /** The end of the last complete entry. */
  readonly end: number;
  readonly size: number;
  /** The rest of the file: "torn" is an entry cut off when its process was killed. */
  readonly rest: "nothing" | "torn" | "damaged";
}

/** Reads the lines of a file, not the bodies between them. */
export function readEntries<T extends object>(
  file: number,
  isExpected: (content: Unchecked) => content is Unchecked & T,
): ResponseFileContent<T> {
  const { size } = fstatSync(file);
  const entries: Array<Entry<T>> = [];
  let chunk: Buffer = Buffer.alloc(0);
  let [chunkAt, end] = [0, 0];
  const newlineFrom = (at: number): number => {
    for (let length = CHUNK_BYTES; length <= MAX_LINE_BYTES; length *= 8) {
      const newline = chunk.indexOf("\n", at - chunkAt);
      if (at < chunkAt + chunk.length && newline >= 0) return newline;
      if (at >= chunkAt && chunkAt + chunk.length === size && at < size) break;
      [chunk, chunkAt] = [readBytes(file, at, length), at];
    }
    return -1;
  };
  while (end < size) {
    const newline = newlineFrom(end);
    const text = chunk.toString("utf8", end - chunkAt, newline < 0 ? undefined : newline);
    const line = newline < 0 ? undefined : readLine(text, isExpected);
    const isCut = newline < 0 && chunkAt + chunk.length === size && !LINE_END.test(text);
    if (line === undefined) return { entries, end, size, rest: isCut ? "torn" : "damaged" };
    const bodyAt = chunkAt + newline + 1;
    const { size: bodySize = 0 } = line as Partial<RecordedResponse>;
    if (bodyAt + bodySize > size) return { entries, end, size, rest: "torn" };
    entries.push({ line, at: end, bodyAt });
    end = bodyAt + bodySize;
  }
  return { entries, end, size, rest: "nothing" };
}

export function readBody(file: number, { line, bodyAt }: Omit<Entry<RecordedResponse>, "at">): Buffer | undefined {
  const body = readBytes(file, bodyAt, line.size);
  return body.length === line.size && crc32(body) === line.crc32 ? body : undefined;
}

/** Appends a line and its body. Both are in the file when this returns. */
export function append(file: number, end: number, line: Line, body: Buffer = Buffer.alloc(0)): number {
  const text = Buffer.from(lineOf(line));
  writeBytes(file, Buffer.concat([text, body]), end);
  return end + text.length;
}
