/**
 * Reading JSON as bytes, without building values: each function takes the buffer and a position and returns the next
 * position. They trust that the text is JSON where looking would cost time (digits, literals); whoever turns the
 * bytes into values checks the rest. What cannot be JSON at all throws {@link NotScannable}.
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

/** Thrown where the bytes are not the JSON that was looked for; the caller then parses the slow way to say what is wrong. */
export class NotScannable extends Error {}

/** The position of the first byte from `p` that is not white space. */
export function skipSpace(bytes: Uint8Array, p: number): number {
  for (;;) {
    const c = bytes[p];
    if (c !== 0x20 && c !== NEWLINE && c !== RETURN && c !== 0x09) return p;
    p++;
  }
}

// Short strings are walked, since a native search costs as much as some tens of bytes; long ones are leapt over.
const WALK = 40;

/** The position of the quote that ends the string whose first byte is at `p` (after its opening quote). */
export function stringEnd(bytes: Buffer, p: number): number {
  let q = p;
  for (const stop = p + WALK; q < stop; q++) {
    const c = bytes[q];
    if (c === QUOTE) return q;
    if (c === BACKSLASH) q++;
  }
  for (;;) {
    const end = bytes.indexOf(QUOTE, q);
    if (end < 0) throw new NotScannable("a string does not end");
    let slashes = 0;
    while (end - slashes > q && bytes[end - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    q = end + 1;
  }
}

/** Whether a string holds a control character or half of a surrogate pair, which only a real parser may judge. */
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

/** Of four hexadecimal digits: 1 the first half of a surrogate pair, 2 the second half, 0 neither. */
function surrogate(bytes: Uint8Array, p: number): 0 | 1 | 2 {
  if (((bytes[p] as number) | 0x20) !== 0x64) return 0;
  const c = (bytes[p + 1] as number) | 0x20;
  if (c === 0x38 || c === 0x39 || c === 0x61 || c === 0x62) return 1;
  return c >= 0x63 && c <= 0x66 ? 2 : 0;
}

/** Values are nested no deeper: whoever reads one after this may go down step by step. */
const MAX_DEPTH = 500;

/** The position after the value that begins at `p`, whatever it is. */
export function skipValue(bytes: Buffer, p: number): number {
  const first = bytes[p];
  if (first === QUOTE) return stringEnd(bytes, p + 1) + 1;
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return scalarEnd(bytes, p);
  let depth = 0;
  for (;;) {
    const c = bytes[p];
    if (c === undefined) throw new NotScannable("a list or an object does not end");
    if (c === QUOTE) p = stringEnd(bytes, p + 1);
    else if (c === OPEN_LIST || c === OPEN_OBJECT) {
      depth++;
      if (depth > MAX_DEPTH) throw new NotScannable(`its values are nested more than ${MAX_DEPTH} deep`);
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
    const inside =
      (c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x7a) || c === 0x2d || c === 0x2b || c === 0x2e || c === 0x45;
    if (!inside) break;
    p++;
  }
  if (p === start) throw new NotScannable("a value is missing");
  return p;
}
