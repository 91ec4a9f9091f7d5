/**
 * Functions that read JSON as bytes, without building values. Each takes a buffer and a position and returns the next
 * position. To save time they do not verify digits and literals; code that builds values from the bytes does. Bytes that
 * cannot be JSON throw {@link NotScannable}.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const BACKSLASH = 0x5c;

/** Thrown if the bytes are not the expected JSON. The caller then uses a real parser to find out what is wrong. */
export class NotScannable extends Error {}

/** The position of the first byte from `p` that is not white space. */
export function skipSpace(bytes: Uint8Array, p: number): number {
  for (;;) {
    const c = bytes[p];
    if (c !== 0x20 && c !== NEWLINE && c !== RETURN && c !== 0x09) return p;
    p++;
  }
}

// A native search has a fixed cost of some tens of bytes, so the start of a string is read byte by byte.
const LOOP_BYTES = 40;

/** The position of the closing quote of a string; `p` is the position after its opening quote. */
export function stringEnd(bytes: Buffer, p: number): number {
  let q = p;
  for (const stop = p + LOOP_BYTES; q < stop; q++) {
    const c = bytes[q];
    if (c === QUOTE) return q;
    if (c === BACKSLASH) q++;
  }
  for (;;) {
    const end = bytes.indexOf(QUOTE, q);
    if (end < 0) throw new NotScannable("a string is not closed");
    let slashes = 0;
    while (end - slashes > q && bytes[end - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    q = end + 1;
  }
}

/** Whether a string contains a control character or a lone surrogate. Such strings are left to a real parser. */
export function isOddString(bytes: Uint8Array, p: number, end: number): boolean {
  for (let q = p; q < end; q++) {
    const c = bytes[q] as number;
    if (c < 0x20) return true;
    if (c !== BACKSLASH) continue;
    q++;
    if (bytes[q] !== 0x75) continue;
    const high = surrogate(bytes, q + 1);
    if (high === 0) continue;
    const paired = high === 1 && bytes[q + 5] === BACKSLASH && bytes[q + 6] === 0x75 && surrogate(bytes, q + 7) === 2;
    if (!paired) return true;
    q += 10;
  }
  return false;
}

/** Classifies four hexadecimal digits: 1 for a high surrogate, 2 for a low surrogate, 0 for neither. */
function surrogate(bytes: Uint8Array, p: number): 0 | 1 | 2 {
  if (((bytes[p] as number) | 0x20) !== 0x64) return 0;
  const c = (bytes[p + 1] as number) | 0x20;
  if (c === 0x38 || c === 0x39 || c === 0x61 || c === 0x62) return 1;
  return c >= 0x63 && c <= 0x66 ? 2 : 0;
}

/** Values that are nested deeper are rejected, so that later code may process them recursively. */
const MAX_DEPTH = 500;

/** The position after the value of any type that begins at `p`. */
export function skipValue(bytes: Buffer, p: number): number {
  const first = bytes[p];
  if (first === QUOTE) return stringEnd(bytes, p + 1) + 1;
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return scalarEnd(bytes, p);
  let depth = 0;
  for (;;) {
    const c = bytes[p];
    if (c === undefined) throw new NotScannable("a list or an object is not closed");
    if (c === QUOTE) p = stringEnd(bytes, p + 1);
    else if (c === OPEN_LIST || c === OPEN_OBJECT) {
      depth++;
      if (depth > MAX_DEPTH) throw new NotScannable(`its values are nested more than ${MAX_DEPTH} levels deep`);
    } else if (c === CLOSE_LIST || c === CLOSE_OBJECT) {
      depth--;
      if (depth === 0) return p + 1;
    }
    p++;
  }
}

/** The position after a number or a literal. */
export function scalarEnd(bytes: Uint8Array, p: number): number {
  const start = p;
  for (;;) {
    const c = bytes[p] as number;
    const isPart =
      (c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x7a) || c === 0x2d || c === 0x2b || c === 0x2e || c === 0x45;
    if (!isPart) break;
    p++;
  }
  if (p === start) throw new NotScannable("a value is missing");
  return p;
}

/** Whether the name whose first byte is at `p` is `key`. */
export function isName(bytes: Uint8Array, p: number, key: Uint8Array): boolean {
  const { length } = key;
  if (bytes[p + length] !== QUOTE) return false;
  for (let at = 0; at < length; at++) if (bytes[p + at] !== key[at]) return false;
  return true;
}
