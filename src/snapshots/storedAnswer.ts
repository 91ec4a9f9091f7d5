import { crc32 } from "node:zlib";
import type { Cost } from "../service/http/asker.js";

/** The first line of an index: what answered, and who asked. */
export interface Retrieval {
  readonly snapshot: "archive-frames";
  readonly format: 1;
  /** Version of this package. */
  readonly version: string;
  /** See `Provenance.source` and `Provenance.baseUrl`. */
  readonly source: string;
  readonly baseUrl: string;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
}

/** A line of an index: one answer of the service. */
export interface StoredAnswer extends Cost {
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
export interface GivenUp extends Cost {
  readonly get: string;
  readonly status: 0;
}

/** What a line of an index says. */
export type Line = Retrieval | StoredAnswer | GivenUp;

/** A line of an index, with a check sum of itself as its last member. */
export function lineOf(content: Line): string {
  const text = JSON.stringify(content);
  return `${text.slice(0, -1)},"crc":"${checkSum(text)}"}\n`;
}

const LINE = /^(\{.*),"crc":"([0-9a-f]{8})"\}$/s;
const FILE = /^bodies\/[0-9a-f]{2}\/[0-9a-f]{64}\.json\.gz$/;

/** What a line (without its end) says; undefined where it is not as it was written. */
export function readLine(line: string): Line | undefined {
  const [, before, sum] = LINE.exec(line) ?? [];
  if (before === undefined || checkSum(`${before}}`) !== sum) return undefined;
  try {
    const content = JSON.parse(`${before}}`) as Line;
    return isRetrieval(content) || isGivenUp(content) || isAnswer(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

export function isRetrieval(content: Line): content is Retrieval {
  return "snapshot" in content && content.snapshot === "archive-frames" && content.format === 1;
}

export function isGivenUp(content: Line): content is GivenUp {
  return "get" in content && isRequest(content.get) && content.status === 0;
}

/** An index may come from anywhere: what it calls a file is one of the snapshot. */
function isAnswer(content: Line): content is StoredAnswer {
  const { get, file, bytes, status, redactions = 0 } = content as Partial<StoredAnswer>;
  if (!Number.isSafeInteger(redactions) || redactions < 0) return false;
  return isRequest(get) && FILE.test(String(file)) && Number.isSafeInteger(bytes) && Number.isInteger(status);
}

function isRequest(get: unknown): boolean {
  return typeof get === "string" && /^\/[^/\\]/.test(get) && URL.canParse(get, "http://x");
}

function checkSum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
