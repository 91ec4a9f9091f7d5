// Finds the end of strings, and unescapes them.

import { State } from "./state";

// @ts-ignore: decorator
@inline function hex(c: u8): i32 {
  if (c - 0x30 < 10) return c - 0x30;
  const l: u8 = (c | 0x20) - 0x61;
  return l < 6 ? l + 10 : -1;
}

/** The value of four hexadecimal digits; negative for anything else. */
export function hex4(p: usize): i32 {
  const a = hex(load<u8>(p));
  if (a < 0) return -1;
  const b = hex(load<u8>(p, 1));
  if (b < 0) return -1;
  const c = hex(load<u8>(p, 2));
  if (c < 0) return -1;
  const d = hex(load<u8>(p, 3));
  return d < 0 ? -1 : (a << 12) | (b << 8) | (c << 4) | d;
}

/** Whether there is an escaped low surrogate at p. */
export function isLowSurrogate(p: usize): bool {
  return load<u16>(p) == 0x755c && (hex4(p + 2) & 0xfffffc00) == 0xdc00;
}

/** The position of the quote that ends the string whose first byte is at p; 0 if it is not JSON. */
// @ts-ignore: decorator
@inline export function stringEnd(p: usize): usize {
  State.escaped = false;
  State.lone = false;
  const quote = i8x16.splat(0x22), slash = i8x16.splat(0x5c), low = i8x16.splat(0x20);
  while (true) {
    const v = v128.load(p);
    const m = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, quote), i8x16.eq(v, slash)), i8x16.lt_u(v, low)));
    if (m == 0) { p += 16; continue; }
    p += ctz(m);
    const c = load<u8>(p);
    if (c == 0x22) return p;
    if (c != 0x5c) return 0;
    State.escaped = true;
    p = escape(p);
    if (p == 0) return 0;
  }
}

function escape(p: usize): usize {
  const e = load<u8>(p, 1);
  if (e == 0x75) {
    const h = hex4(p + 2);
    if (h < 0) return 0;
    if ((h & 0xf800) != 0xd800) return p + 6;
    if (h < 0xdc00 && isLowSurrogate(p + 6)) return p + 12;
    State.lone = true;
    return p + 6;
  }
  return e == 0x22 || e == 0x5c || e == 0x2f || e == 0x62 || e == 0x66 || e == 0x6e || e == 0x72 || e == 0x74 ? p + 2 : 0;
}

/** Copies bytes; may write 15 more. */
// @ts-ignore: decorator
@inline export function copy(p: usize, length: usize, out: usize): usize {
  const end = out + length;
  while (out < end) { v128.store(out, v128.load(p)); p += 16; out += 16; }
  return end;
}

/** Unescapes a string; may write 15 bytes more. Encodes a lone surrogate like a character. */
export function unescape(p: usize, end: usize, out: usize): usize {
  const slash = i8x16.splat(0x5c);
  while (p < end) {
    const v = v128.load(p);
    v128.store(out, v);
    const m = i8x16.bitmask(i8x16.eq(v, slash));
    const skip: usize = m == 0 ? 16 : ctz(m);
    if (p + skip >= end) return out + (end - p);
    p += skip;
    out += skip;
    if (m == 0) continue;
    const e = load<u8>(p, 1);
    if (e != 0x75) {
      store<u8>(out++, e == 0x6e ? 0x0a : e == 0x74 ? 0x09 : e == 0x72 ? 0x0d : e == 0x62 ? 0x08 : e == 0x66 ? 0x0c : e);
      p += 2;
      continue;
    }
    let u: u32 = hex4(p + 2);
    p += 6;
    if ((u & 0xfc00) == 0xd800 && isLowSurrogate(p)) {
      u = 0x10000 + ((u & 0x3ff) << 10) + ((hex4(p + 2) as u32) & 0x3ff);
      p += 6;
    }
    out = encode(u, out);
  }
  return out;
}

/** Writes a code point as UTF-8. */
function encode(u: u32, out: usize): usize {
  if (u < 0x80) {
    store<u8>(out, u as u8);
    return out + 1;
  }
  if (u < 0x800) {
    store<u8>(out, (0xc0 | (u >> 6)) as u8);
    store<u8>(out, (0x80 | (u & 63)) as u8, 1);
    return out + 2;
  }
  if (u < 0x10000) {
    store<u8>(out, (0xe0 | (u >> 12)) as u8);
    store<u8>(out, (0x80 | ((u >> 6) & 63)) as u8, 1);
    store<u8>(out, (0x80 | (u & 63)) as u8, 2);
    return out + 3;
  }
  store<u8>(out, (0xf0 | (u >> 18)) as u8);
  store<u8>(out, (0x80 | ((u >> 12) & 63)) as u8, 1);
  store<u8>(out, (0x80 | ((u >> 6) & 63)) as u8, 2);
  store<u8>(out, (0x80 | (u & 63)) as u8, 3);
  return out + 4;
}
