import { fstatSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { ArchiveError } from "../../errors/index.js";
import { readBytes } from "../../fs/fileBytes.js";
import type { ResponseFacts, ServiceResponse } from "../../service/http/requester.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { readablePage } from "../../service/paging/page.js";
import { isObject } from "../../util/isObject.js";

/** A response without its body, whose bytes follow the line. */
export interface RecordedResponse extends ResponseFacts {
  /** The number of these bytes. */
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
/** From the comma before the checksum to the end of the line. */
const TAIL_LENGTH = CRC.length + 8 + '"}'.length;

/** Parses a line without its newline; undefined if it was changed or is of another kind. */
function readLine(line: string): JournalLine | undefined {
  const text = `${line.slice(0, -TAIL_LENGTH)}}`;
  if (line.slice(-TAIL_LENGTH) !== `${CRC}${checksum(text)}"}`) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) && isJournalLine(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

export function recorded(get: string, response: ServiceResponse): RecordedResponse {
  const { status, sentAt, receivedAt, requests, retries, body } = response;
  const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
  const bytes = { bytes: body.length, size: body.length, crc32: crc32(body) };
  return { get, status, ...times, requests, retries, ...bytes };
}

export function responseOf(members: RecordedResponse, body: Buffer): ServiceResponse {
  const { status, requests, retries } = members;
  const times = { sentAt: new Date(members.sentAt), receivedAt: new Date(members.receivedAt) };
  return { status, body, headers: {}, ...times, requests, retries };
}

/** A line that is not validated yet. */
type Unchecked = Readonly<Record<string, unknown>>;
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
  ["bytes", isCount],
  ["size", isCount],
  ["crc32", isCount],
];

function isJournalLine(content: Unchecked): content is Unchecked & JournalLine {
  if ("journal" in content) return content.journal === "archive-frames" && isObject(content.search);
  return RESPONSE.every(([name, check]) => check(content[name])) && content.size === content.bytes;
}

/** Bytes to read at once, and the maximum length of a line. */
const [CHUNK_BYTES, MAX_LINE_BYTES] = [2 ** 16, 2 ** 25];

/** A line of a file, and the offset of the body that follows it. */
export interface Entry {
  readonly line: JournalLine;
  readonly bodyAt: number;
}

/**
 * Reads the lines of a file, not the bodies between them, up to its end or the first damage.
 *
 * @returns the lines, the end of the last complete entry, and the size of the file
 */
export function readEntries(file: number): { entries: readonly Entry[]; end: number; size: number } {
  const { size } = fstatSync(file);
  const entries: Entry[] = [];
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
    const line = newline < 0 ? undefined : readLine(chunk.toString("utf8", end - chunkAt, newline));
    if (line === undefined) break;
    const bodyAt = chunkAt + newline + 1;
    const bodySize = "journal" in line ? 0 : line.size;
    if (bodyAt + bodySize > size) break;
    entries.push({ line, bodyAt });
    end = bodyAt + bodySize;
  }
  return { entries, end, size };
}

export function readBody(
  file: number,
  { line, bodyAt }: { readonly line: RecordedResponse; readonly bodyAt: number },
): Buffer | undefined {
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

/** The CRC-32 of a text, as 8 hexadecimal digits. */
function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
