import { QUOTE, scalarEnd, stringEnd } from "./jsonBytes.js";

// Fifteen digits are exact in every number type that may hold the value.
const SAFE_DIGITS = 15;

/** Whether a number is an integer that every number type can hold. */
export function isInteger(bytes: Uint8Array, start: number, end: number): boolean {
  let p = bytes[start] === 0x2d ? start + 1 : start;
  if (end - p > SAFE_DIGITS) return false;
  for (; p < end; p++) if (!isDigit(bytes[p])) return false;
  return true;
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

/** The id whose value begins at `p`. */
export function idAt(bytes: Buffer, p: number): number | string | undefined {
  return idOf(bytes, p, bytes[p] === QUOTE ? stringEnd(bytes, p + 1) + 1 : scalarEnd(bytes, p));
}

/** The id of a row. Integers become numbers, quoted or not, so that a set of many ids stays small. */
export function idOf(bytes: Buffer, start: number, end: number): number | string | undefined {
  const quoted = bytes[start] === QUOTE;
  const from = quoted ? start + 1 : start;
  const to = quoted ? end - 1 : end;
  if (to === from || bytes[start] === 0x6e) return undefined;
  let value = 0;
  if (to - from <= SAFE_DIGITS && (bytes[from] !== 0x30 || to - from === 1)) {
    let p = from;
    for (; p < to && isDigit(bytes[p]); p++) value = value * 10 + (bytes[p] as number) - 0x30;
    if (p === to) return value;
  }
  return bytes.toString("utf8", start, end);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the bytes are a timestamp in the service's format, `2024-04-27T02:35:35Z`, with an existing day. */
export function isTimestamp(bytes: Uint8Array, p: number, end: number): boolean {
  if (end - p !== 20 || bytes[p + 19] !== 0x5a || bytes[p + 10] !== 0x54) return false;
  if (bytes[p + 4] !== 0x2d || bytes[p + 7] !== 0x2d || bytes[p + 13] !== 0x3a || bytes[p + 16] !== 0x3a) return false;
  const year = twoDigits(bytes, p) * 100 + twoDigits(bytes, p + 2);
  const month = twoDigits(bytes, p + 5);
  const day = twoDigits(bytes, p + 8);
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return (
    year >= 1000 && // anything but digits is NaN, which fails every comparison
    day >= 1 &&
    day <= (DAYS[month - 1] ?? 0) + leap &&
    twoDigits(bytes, p + 11) < 24 &&
    twoDigits(bytes, p + 14) < 60 &&
    twoDigits(bytes, p + 17) < 60
  );
}

function twoDigits(bytes: Uint8Array, p: number): number {
  const tens = bytes[p] as number;
  const ones = bytes[p + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - 0x30) * 10 + ones - 0x30 : Number.NaN;
}
