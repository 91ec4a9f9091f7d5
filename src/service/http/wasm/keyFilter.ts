// AssemblyScript. Finds where a key may be in a text, at the cost of a few instructions per 16 bytes. The host writes the text
// to textAt(), with MARGIN zeros behind it, and the needle to needleAt(). See ../keyFilter.ts.

import { escapeMatters } from "./escapeMatters";
import { handlePiece, isPieceByte } from "./pieces";
import { addSpan, clearSpans, NEEDLE, spans, TEXT } from "./spans";

let needleLength: i32 = 0;
/** Three positions in the needle, whose characters are searched at once. */
let at1: i32 = 0;
let at2: i32 = 0;
let at3: i32 = 0;
/** As many letters in a row make the search for base64 look closer: at most 16. */
let probeLength: i32 = 0;

export function textAt(): usize {
  return TEXT;
}

export function needleAt(): usize {
  return NEEDLE;
}

/** Sets the needle: its length, and the positions of three characters that are rare in text. */
export function setNeedle(length: i32, first: i32, second: i32, third: i32, shortestRun: i32): void {
  needleLength = length;
  at1 = first;
  at2 = second;
  at3 = third;
  probeLength = min(shortestRun, 16);
}

/**
 * Searches a text. Returns how many spans may contain the key, as triples of 32-bit numbers: kind, begin, end. -1 if there
 * are too many.
 */
export function search(length: i32, shortestRun: i32, keyLength: i32, beyondAscii: bool): i32 {
  clearSpans();
  const fold = i8x16.splat(0x20);
  const first = i8x16.splat(load<i8>(NEEDLE + at1));
  const second = i8x16.splat(load<i8>(NEEDLE + at2));
  const third = i8x16.splat(load<i8>(NEEDLE + at3));
  const nibble = i8x16.splat(0x0f);
  // A byte belongs to base64 or to an escape if its two entries have a bit in common. One bit per row of the ASCII table.
  const low = i8x16(52, 60, 60, 62, 60, 62, 62, 60, 60, 60, 57, 14, 24, 11, 8, 26);
  const high = i8x16(1, 0, 2, 4, 8, 16, 8, 32, 0, 0, 0, 0, 0, 0, 0, 0);
  const percent = i8x16.splat(0x25);
  const ampersand = i8x16.splat(0x26);
  const backslash = i8x16.splat(0x5c);
  let previous: u32 = 0;
  /** The end of the last piece that was examined. */
  let done: i32 = 0;
  for (let p: i32 = 0; p < length; p += 16) {
    const at = TEXT + p;
    const bytes = v128.load(at);

    const found = v128.and(
      v128.and(
        i8x16.eq(v128.or(v128.load(at + at1), fold), first),
        i8x16.eq(v128.or(v128.load(at + at2), fold), second),
      ),
      i8x16.eq(v128.or(v128.load(at + at3), fold), third),
    );
    for (let bits = i8x16.bitmask(found); bits != 0; bits &= bits - 1) {
      const start = p + ctz(bits);
      if (start + needleLength <= length && isNeedle(TEXT + start)) addSpan(0, start, start + needleLength);
    }

    const escapes = v128.or(
      v128.or(i8x16.eq(bytes, percent), i8x16.eq(bytes, ampersand)),
      i8x16.eq(bytes, backslash),
    );
    for (let bits = i8x16.bitmask(escapes); bits != 0; bits &= bits - 1) {
      const start = p + ctz(bits);
      if (start < length && escapeMatters(TEXT + start)) addSpan(0, start, start + 1);
    }

    const classes = v128.and(
      i8x16.swizzle(low, v128.and(bytes, nibble)),
      i8x16.swizzle(high, i8x16.shr_u(bytes, 4)),
    );
    const letters = (i8x16.bitmask(i8x16.ne(classes, i8x16.splat(0))) as u32) & 0xffff;
    // The letters of these 16 bytes and of the 16 before them.
    let runs = (letters << 16) | previous;
    previous = letters;
    runs &= runs >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;
    runs &= runs >> (probeLength - 8);
    for (; runs != 0; runs &= runs - 1) {
      const start = p - 16 + ctz(runs);
      if (start < done) continue;
      let begin = start;
      while (begin > 0 && isPieceByte(TEXT + begin - 1)) begin--;
      let end = start;
      while (end < length && isPieceByte(TEXT + end)) end++;
      done = end;
      if (end - begin >= shortestRun) handlePiece(begin, end, shortestRun, keyLength, beyondAscii);
    }
  }
  return spans();
}

function isNeedle(at: usize): bool {
  for (let index: i32 = 0; index < needleLength; index++) {
    if ((load<u8>(at + index) | 0x20) != load<u8>(NEEDLE + index)) return false;
  }
  return true;
}

export { maxText, spansAt } from "./spans";
