import { crc32 } from "node:zlib";
import type { Cost } from "../service/http/requester.js";
import { isObject } from "../util/isObject.js";

/** The first line of an index: what answered, and who asked. */
export interface Retrieval {
  readonly snapshot: "archive-frames";
  /** 2 since answers have a generation. */
  readonly format: 1 | 2;
  /** Version of this package. */
  readonly version: string;
  /** See `Provenance.source` and `Provenance.baseUrl`. */
  readonly source: string;
  readonly baseUrl: string;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
}

/** Which retrieval of a search an answer belongs to. */
export interface GenerationPart {
  readonly generation: string;
  /** Counts the walks that have added answers to the generation, from 1: each went on where the one before it had stopped. */
  readonly part: number;
}

/** A line of an index: one answer of the service. Look-ups have no generation, and answers of format 1 have none. */
export interface StoredAnswer extends Cost, Partial<GenerationPart> {
  /** What was asked: path and query. */
  readonly get: string;
  readonly status: number;
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  readonly receivedAt: string;
  /** See `Reply.redactions`. */
  readonly redactions?: number;
  /** Bytes of the body, and their SHA-256 in hexadecimal. */
  readonly bytes: number;
  readonly sha256: string;
  /** The file with the body, compressed; it is called after the SHA-256 of what is in it. */
  readonly file: string;
}

/** A line of an index: a request that was sent, and given up before its answer came, because nobody needed it any more. */
export interface GivenUp extends Cost, Partial<GenerationPart> {
  readonly get: string;
  readonly status: 0;
}

/** A line of an index: a walk has ended, and no error stopped it. */
export interface Finished {
  /** The generation that it was answered from. */
  readonly finished: string;
  /** Rows that the walk wanted: 0 for a single page, null for all. */
  readonly wanted: number | null;
  /** Rows that came; null where they are all there are. */
  readonly rows: number | null;
}

/** What a line of an index says. */
export type Line = Retrieval | StoredAnswer | GivenUp | Finished;

/** A line of an index, with a check sum of itself as its last member. */
export function lineOf(content: Line): string {
  const text = JSON.stringify(content);
  return `${text.slice(0, -1)}${CRC}${checkSum(text)}"}\n`;
}

const CRC = ',"crc":"';
/** From the comma before the check sum to the end of the line. */
const TAIL_LENGTH = CRC.length + 8 + '"}'.length;

/** What a line (without its end) says; undefined where it is not as it was written. */
export function readLine(line: string): Line | undefined {
  const tail = line.slice(-TAIL_LENGTH);
  const text = `${line.slice(0, -TAIL_LENGTH)}}`;
  if (tail !== `${CRC}${checkSum(text)}"}`) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) && isLine(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

type Unchecked = Readonly<Record<string, unknown>>;

/** Longest request, source and base URL that are read. */
const MAX_TEXT = 2 ** 20;
/** No request is sent so often. */
const MAX_COST = 1_000_000;
const FILE = /^bodies\/([0-9a-f]{2})\/\1[0-9a-f]{62}\.json\.gz$/;
const SHA256 = /^[0-9a-f]{64}$/;
const GENERATION = /^[0-9a-f]{16}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Control characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** An index may come from anywhere: every member is what this package writes, and what it calls a file is one of the snapshot. */
function isLine(content: Unchecked): content is Unchecked & Line {
  const line = content as unknown as Line;
  if (isRetrieval(line)) {
    const { snapshot, format, version, source, baseUrl, begunAt } = content;
    const isKnown = snapshot === "archive-frames" && (format === 1 || format === 2);
    return isKnown && [version, source, baseUrl].every(isText) && isTime(begunAt);
  }
  if (isFinished(line)) {
    const { finished, wanted, rows } = content;
    return isMatch(GENERATION, finished) && [wanted, rows].every((count) => count === null || isCount(count));
  }
  if (!isAboutRequest(content)) return false;
  if (isGivenUp(line)) return true;
  const { status, sentAt, receivedAt, bytes, sha256, file, redactions = 0 } = content;
  if (!isCount(status, 599) || (status as number) < 200 || !isTime(sentAt) || !isTime(receivedAt)) return false;
  return isCount(redactions) && isCount(bytes) && isMatch(SHA256, sha256) && isMatch(FILE, file);
}

export function isRetrieval(content: Line): content is Retrieval {
  return "snapshot" in content;
}

export function isFinished(content: Line): content is Finished {
  return "finished" in content && !isRetrieval(content);
}

export function isGivenUp(content: Line): content is GivenUp {
  return !isRetrieval(content) && !isFinished(content) && content.status === 0;
}

export function isAnswer(content: Line): content is StoredAnswer {
  return !isRetrieval(content) && !isFinished(content) && content.status !== 0;
}

function isAboutRequest({ get, requests, retries, generation, part }: Unchecked): boolean {
  if (!isRequest(get) || !isCount(requests, MAX_COST) || !isCount(retries, MAX_COST)) return false;
  const isPart = isCount(part, MAX_COST) && part !== 0;
  return (generation === undefined && part === undefined) || (isMatch(GENERATION, generation) && isPart);
}

function isRequest(get: unknown): boolean {
  return isText(get) && !INVISIBLE.test(get) && /^\/[^/\\]/.test(get) && URL.canParse(get, "http://x");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}

function isCount(value: unknown, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function isTime(value: unknown): boolean {
  return isMatch(TIME, value) && !Number.isNaN(Date.parse(value));
}

function isMatch(pattern: RegExp, value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}

function checkSum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
