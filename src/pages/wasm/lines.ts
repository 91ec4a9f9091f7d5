// Writes CSV lines from the cells of rows.

import { copy, unescape } from "./text";
import { ESCAPED, HEADER, NULL_CELL } from "./rows";
import { count, STRING, typeOf } from "./shape";

/** @param scratch space for the longest text */
export function csvLines(record: usize, stride: usize, rows: i32, base: usize, out: usize, scratch: usize): usize {
  for (let r = 0; r < rows; r++) {
    let cell = record + HEADER;
    for (let at = 0; at < count; at++) {
      if (at > 0) store<u8>(out++, 0x2c);
      const c = load<u64>(cell);
      cell += 8;
      if (c >= NULL_CELL) continue;
      const p = base + ((c & 0xffffffff) as usize), length = ((c & ~ESCAPED) >> 32) as usize;
      if (typeOf(at) != STRING) out = copy(p, length, out);
      else if (length == 0) {
        store<u16>(out, 0x2222);
        out += 2;
      } else if (c & ESCAPED) out = field(scratch, unescape(p, p + length, scratch) - scratch, out);
      else out = field(p, length, out);
    }
    store<u16>(out, 0x0a0d);
    out += 2;
    record += stride;
  }
  return out;
}

/** Writes a text as a field, quoted if it contains a quote, comma or line break. */
// @ts-ignore: decorator
@inline function field(p: usize, length: usize, out: usize): usize {
  const comma = i8x16.splat(0x2c), quote = i8x16.splat(0x22), lf = i8x16.splat(0x0a), cr = i8x16.splat(0x0d);
  const end = p + length;
  // Copies while checking; if the text needs quotes, copies it again.
  let to = out;
  for (let q = p; q < end; q += 16) {
    const v = v128.load(q);
    v128.store(to, v);
    let m = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, comma), i8x16.eq(v, quote)), v128.or(i8x16.eq(v, lf), i8x16.eq(v, cr))));
    if (end - q < 16) m &= (1 << ((end - q) as i32)) - 1;
    if (m != 0) return quoted(p, end, out);
    to += 16;
  }
  return out + length;
}

function quoted(p: usize, end: usize, out: usize): usize {
  const quote = i8x16.splat(0x22);
  store<u8>(out++, 0x22);
  while (p < end) {
    const v = v128.load(p);
    v128.store(out, v);
    const m = i8x16.bitmask(i8x16.eq(v, quote));
    const left = end - p;
    if (m == 0 || (ctz(m) as usize) >= left) {
      const step: usize = left < 16 ? left : 16;
      p += step;
      out += step;
      continue;
    }
    const skip = (ctz(m) as usize) + 1;
    p += skip;
    out += skip;
    store<u8>(out++, 0x22);
  }
  store<u8>(out, 0x22);
  return out + 1;
}
