import { crc32 } from "node:zlib";
import type { Cost, ServiceResponse } from "../service/http/requester.js";
import { isObject } from "../util/isObject.js";

/** What the lines of all stores say of a response. */
interface ResponseMembers extends Cost {
  readonly status: number;
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  readonly receivedAt: string;
  /** See `ServiceResponse.redactions`. */
  readonly redactions?: number;
}

/** A line of a journal: one response, whose body follows. */
export interface JournaledResponse extends ResponseMembers {
  /** The request: path and query. */
  readonly get: string;
  readonly bytes: number;
  /** Checksum of the body. */
  readonly crc32: number;
}

/** The first line of a journal: the search that it belongs to. */
export interface JournalHeader {
  readonly journal: "archive-frames";
  readonly search: Readonly<Record<string, unknown>>;
}

/** The first line of an index: the recorded service, and the version that recorded it. */
export interface IndexHeader {
  readonly snapshot: "archive-frames";
  readonly format: 2;
  /** Version of this package. */
  readonly version: string;
  /** See `Provenance.source` and `Provenance.baseUrl`. */
  readonly source: string;
  readonly baseUrl: string;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
}

/** The retrieval of a search that a response belongs to. */
export interface RetrievalPart {
  /** Id of the retrieval; the stored format calls it a generation. */
  readonly generation: string;
  /** Counts the paginations that added responses to the retrieval, from 1: each resumed where the previous one stopped. */
  readonly part: number;
}

/** A line of an index: one response of the service. Lookups name no retrieval. */
export interface StoredResponse extends ResponseMembers, Partial<RetrievalPart> {
  /** The request: path and query. */
  readonly get: string;
  /** Bytes of the body, and their SHA-256 in hexadecimal. */
  readonly bytes: number;
  readonly sha256: string;
  /** The file with the compressed body, named after the SHA-256 of its content. */
  readonly file: string;
}

/** A line of an index: a request that was abandoned before its response arrived, because it was no longer needed. */
export interface AbandonedRequest extends Cost, Partial<RetrievalPart> {
  readonly get: string;
  readonly status: 0;
}

/** A line of an index: a pagination that ended without an error. */
export interface FinishedPagination {
  /** Id of the retrieval that it read. */
  readonly finished: string;
  /** Rows that the pagination wanted: 0 for a single page, null for all. */
  readonly wanted: number | null;
  /** Rows received; null if these are all rows of the search. */
  readonly rows: number | null;
}

/** The content of an index line. */
export type IndexLine = IndexHeader | StoredResponse | AbandonedRequest | FinishedPagination;

/** Serializes a line; its last member is its checksum. */
export function lineOf(content: IndexLine | JournaledResponse | JournalHeader): string {
  const text = JSON.stringify(content);
  return `${text.slice(0, -1)}${CRC}${checksum(text)}"}\n`;
}

const CRC = ',"crc":"';
/** From the comma before the checksum to the end of the line. */
const TAIL_LENGTH = CRC.length + 8 + '"}'.length;

/** Parses a line without its newline; undefined if it was changed, or is not of the expected kind. */
export function readLine<T>(line: string, isExpected: (content: Unchecked) => content is Unchecked & T): T | undefined {
  const tail = line.slice(-TAIL_LENGTH);
  const text = `${line.slice(0, -TAIL_LENGTH)}}`;
  if (tail !== `${CRC}${checksum(text)}"}`) return undefined;
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

/** The members of a line that describe a response. */
export function membersOf(response: Omit<ServiceResponse, "headers">): ResponseMembers {
  const { status, sentAt, receivedAt, requests, retries, redactions } = response;
  const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
  return { status, ...times, requests, retries, ...(redactions && { redactions }) };
}

/** The response that a line describes. */
export function responseOf(members: ResponseMembers, body: Buffer): ServiceResponse {
  const { status, requests, retries, redactions } = members;
  const times = { sentAt: new Date(members.sentAt), receivedAt: new Date(members.receivedAt) };
  return { status, body, headers: {}, ...times, requests, retries, ...(redactions && { redactions }) };
}

type Unchecked = Readonly<Record<string, unknown>>;

/** Maximum length of a request, source or base URL. */
const MAX_TEXT = 2 ** 20;
/** Maximum of the request, retry and part counts. */
const MAX_COST = 1_000_000;
const FILE = /^bodies\/([0-9a-f]{2})\/\1[0-9a-f]{62}\.json\.gz$/;
const SHA256 = /^[0-9a-f]{64}$/;
const GENERATION = /^[0-9a-f]{16}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Control characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

export function isJournalHeader(content: Unchecked): content is Unchecked & JournalHeader {
  return content.journal === "archive-frames" && isObject(content.search);
}

export function isJournaled(content: Unchecked): content is Unchecked & JournaledResponse {
  return typeof content.get === "string" && isResponse(content, 299) && isCount(content.crc32, 2 ** 32 - 1);
}

/** An index may come from anywhere: accepts only what this package writes, and only file names inside the snapshot. */
export function isIndexLine(content: Unchecked): content is Unchecked & IndexLine {
  const line = content as unknown as IndexLine;
  if (isIndexHeader(line)) {
    const { snapshot, format, version, source, baseUrl, begunAt } = content;
    const isKnown = snapshot === "archive-frames" && format === 2;
    return isKnown && [version, source, baseUrl].every(isText) && isTimestamp(begunAt);
  }
  if (isFinishedPagination(line)) {
    const { finished, wanted, rows } = content;
    return isMatch(GENERATION, finished) && [wanted, rows].every((count) => count === null || isCount(count));
  }
  const { get, generation, part, sha256, file } = content;
  const isPart = isMatch(GENERATION, generation) && isCount(part, MAX_COST) && part !== 0;
  if (!isRequest(get) || !isCost(content) || !(isPart || (generation === undefined && part === undefined)))
    return false;
  return isAbandonedRequest(line) || (isResponse(content, 599) && isMatch(SHA256, sha256) && isMatch(FILE, file));
}

export function isIndexHeader(content: IndexLine): content is IndexHeader {
  return "snapshot" in content;
}

export function isFinishedPagination(content: IndexLine): content is FinishedPagination {
  return "finished" in content && !isIndexHeader(content);
}

export function isAbandonedRequest(content: IndexLine): content is AbandonedRequest {
  return !isIndexHeader(content) && !isFinishedPagination(content) && content.status === 0;
}

export function isStoredResponse(content: IndexLine): content is StoredResponse {
  return !isIndexHeader(content) && !isFinishedPagination(content) && content.status !== 0;
}

function isResponse(content: Unchecked, maxStatus: number): boolean {
  const { status, sentAt, receivedAt, bytes, redactions = 0 } = content;
  const isStatus = isCount(status, maxStatus) && (status as number) >= 200;
  return (
    isStatus && isCost(content) && [sentAt, receivedAt].every(isTimestamp) && isCount(bytes) && isCount(redactions)
  );
}

function isCost({ requests, retries }: Unchecked): boolean {
  return isCount(requests, MAX_COST) && isCount(retries, MAX_COST);
}

function isRequest(get: unknown): boolean {
  return isText(get) && !INVISIBLE.test(get) && /^\/[^/\\]/.test(get) && URL.canParse(get, "http://x");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}

function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function isTimestamp(value: unknown): boolean {
  return isMatch(TIMESTAMP, value) && !Number.isNaN(Date.parse(value));
}

function isMatch(pattern: RegExp, value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}
