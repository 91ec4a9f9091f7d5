import { fstatSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { ArchiveError } from "../../errors/index.js";
import { readBytes } from "../../fs/fileBytes.js";
import type { Cost, ServiceResponse } from "../../service/http/requester.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { readablePage } from "../../service/paging/page.js";
import { isObject } from "../../util/isObject.js";

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

export function lineOf(content: JournalLine): string {
  const text = JSON.stringify(content);
  return `${text.slice(0, -1)}${CRC}${checksum(text)}"}\n`;
}

const CRC = ',"crc":"';
/** The end of a complete line. */
const LINE_END = /,"crc":".{8}"\}/;
/** From the comma before the checksum to the end of the line. */
const TAIL_LENGTH = CRC.length + 8 + '"}'.length;

/** Parses a line without its newline; undefined if it was changed or is of another kind. */
function readLine<T>(line: string, isExpected: (content: Unchecked) => content is Unchecked & T): T | undefined {
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
  const { status, sentAt, receivedAt, requests, retries, redactions, body } = response;
  const flags = redactions ? { redactions } : {};
  const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
  const bytes = { bytes: body.length, size: stored.length, crc32: crc32(stored) };
  return { get, status, ...times, requests, retries, ...flags, ...bytes };
}

export function responseOf(members: RecordedResponse, body: Buffer): ServiceResponse {
  const { status, requests, retries, redactions } = members;
  const flags = redactions ? { redactions } : {};
  const times = { sentAt: new Date(members.sentAt), receivedAt: new Date(members.receivedAt) };
  return { status, body, headers: {}, ...times, requests, retries, ...flags };
}

/** A line that is not validated yet. */
export type Unchecked = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));

const RESPONSE: ReadonlyArray<readonly [keyof RecordedResponse, Check]> = [
  ["get", (value) => typeof value === "string"],
  ["status", isCount],
  ["sentAt", isTime],
  ["receivedAt", isTime],
  ["requests", isCount],
  ["retries", isCount],
  ["redactions", (value) => value === undefined || isCount(value)],
  ["bytes", isCount],
  ["size", isCount],
  ["crc32", isCount],
];

export function isJournalLine(content: Unchecked): content is Unchecked & JournalLine {
  if ("journal" in content) return content.journal === "archive-frames" && isObject(content.search);
  return RESPONSE.every(([name, check]) => check(content[name])) && content.size === content.bytes;
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

const UNUSABLE: ReadonlySet<string> = new Set(["BODY_NOT_JSON", "UNEXPECTED_BODY", "UNKNOWN_CURSOR"]);

/**
 * The index of the first response that would make a resumed run fail again; -1 if there is none.
 *
 * @param entries of a journal, in order of arrival
 * @param pages the pages before the failure
 */
export function firstUnusable<E>(
  entries: readonly E[],
  read: (entry: E) => ServiceResponse | undefined,
  { code }: ArchiveError,
  request: ArchiveRequest,
  pages: number,
): number {
  // Repeated pages of a circle are useless. The service may send others next time.
  const inCircle = code === "CURSOR_CIRCLES";
  if (!inCircle && !UNUSABLE.has(code)) return -1;
  return entries.findIndex((entry, at) => {
    const response = read(entry);
    if (response === undefined || inCircle) return response === undefined || at >= pages;
    const page = readablePage(response, request);
    return page === undefined || page.unknownCursor !== undefined;
  });
}
