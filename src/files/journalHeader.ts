import { isObject } from "../util/isObject.js";

/** The JSON line before each response body in a journal. */
export interface JournalHeader {
  readonly get: string;
  readonly status: number;
  readonly sentAt: string;
  readonly receivedAt: string;
  readonly requests: number;
  readonly retries: number;
  /** See `ServiceResponse.redactions`. */
  readonly redactions?: number;
  readonly bytes: number;
  readonly crc: number;
}

/** Tolerated difference between the clocks of a user's machines, in milliseconds. */
export const CLOCK_SKEW_MS: number = 5 * 60 * 1000;

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAX_CRC = 2 ** 32 - 1;

/**
 * Parses and validates a header.
 *
 * @param now milliseconds since 1970
 * @returns undefined if a member is invalid, or if the response is from the future
 */
export function readJournalHeader(line: string, now: number): JournalHeader | undefined {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(header)) return undefined;
  const { get, status, sentAt, receivedAt, requests, retries, redactions = 0, bytes, crc } = header;
  const isValid =
    typeof get === "string" &&
    isCount(status, 299) &&
    status >= 200 &&
    [requests, retries, redactions, bytes].every((count) => isCount(count, Number.MAX_SAFE_INTEGER)) &&
    isCount(crc, MAX_CRC) &&
    isTimestamp(sentAt, now) &&
    isTimestamp(receivedAt, now);
  return isValid ? (header as unknown as JournalHeader) : undefined;
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function isTimestamp(value: unknown, now: number): boolean {
  if (typeof value !== "string" || !TIMESTAMP.test(value)) return false;
  return Date.parse(value) <= now + CLOCK_SKEW_MS;
}
