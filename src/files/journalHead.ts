import { isObject } from "../util/isObject.js";

/** What stands before each body of a journal. */
export interface JournalHead {
  readonly get: string;
  readonly status: number;
  readonly sentAt: string;
  readonly receivedAt: string;
  readonly requests: number;
  readonly retries: number;
  /** See `Reply.redactions`. */
  readonly redactions?: number;
  readonly bytes: number;
  readonly crc: number;
}

/** How far clocks of one user may be apart, in milliseconds. */
export const CLOCK_SKEW_MS: number = 5 * 60 * 1000;

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAX_CRC = 2 ** 32 - 1;

/**
 * Reads the head of an answer.
 *
 * @param now milliseconds since 1970
 * @returns undefined where a member is not what is written there, or where the answer came later than now
 */
export function readJournalHead(line: string, now: number): JournalHead | undefined {
  let head: unknown;
  try {
    head = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(head)) return undefined;
  const { get, status, sentAt, receivedAt, requests, retries, redactions = 0, bytes, crc } = head;
  const isValid =
    typeof get === "string" &&
    isCount(status, 299) &&
    status >= 200 &&
    [requests, retries, redactions, bytes].every((count) => isCount(count, Number.MAX_SAFE_INTEGER)) &&
    isCount(crc, MAX_CRC) &&
    isTimestamp(sentAt, now) &&
    isTimestamp(receivedAt, now);
  return isValid ? (head as unknown as JournalHead) : undefined;
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function isTimestamp(value: unknown, now: number): boolean {
  if (typeof value !== "string" || !TIMESTAMP.test(value)) return false;
  return Date.parse(value) <= now + CLOCK_SKEW_MS;
}
