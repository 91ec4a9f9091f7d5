// Steps over JSON in linear memory. The input ends with a zero byte, which no value and no white space may contain, so nothing
// reads more than 20 bytes beyond it. Functions return the next position, or 0 for bytes that are not what they expect.

import { hashBytes, hashPair } from "./hash";

/** Values that are nested deeper are refused, so that these functions, and later code, may be recursive. */
const MAX_DEPTH: i32 = 500;

/** Why a value was refused: 1 it is not JSON, 2 it is nested too deeply, 3 memory cannot grow. */
export let failure: i32 = 0;

export function fail(reason: i32): usize {
  failure = reason;
  return 0;
}

/** Of the last string: it has escapes; one of them is half a surrogate pair. */
export let escaped: bool = false;
export let lone: bool = false;

/** The position of the first byte from p that is not white space. */
// @ts-ignore: decorator
@inline export function space(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c > 0x20 || (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09)) return p;
    p++;
  }
}

/** The position of the quote that ends the string whose first byte is at p; 0 if it is not JSON. */
// @ts-ignore: decorator
@inline export function stringEnd(p: usize): usize {
  escaped = false;
  lone = false;
  const quote = i8x16.splat(0x22), slash = i8x16.splat(0x5c), low = i8x16.splat(0x20);
  while (true) {
    const v = v128.load(p);
    const m = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, quote), i8x16.eq(v, slash)), i8x16.lt_u(v, low)));
    if (m == 0) { p += 16; continue; }
    p += ctz(m);
    const c = load<u8>(p);
    if (c == 0x22) return p;
    if (c != 0x5c) return 0;
    escaped = true;
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
    if (h < 0xdc00 && load<u16>(p, 6) == 0x755c && (hex4(p + 8) & 0xfffffc00) == 0xdc00) return p + 12;
    lone = true;
    return p + 6;
  }
  return e == 0x22 || e == 0x5c || e == 0x2f || e == 0x62 || e == 0x66 || e == 0x6e || e == 0x72 || e == 0x74 ? p + 2 : 0;
}

// @ts-ignore: decorator
@inline function hex(c: u8): i32 {
  if (c - 0x30 < 10) return c - 0x30;
  const l: u8 = (c | 0x20) - 0x61;
  return l < 6 ? l + 10 : -1;
}

/** The number that four hexadecimal digits spell; negative for anything else. */
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

// @ts-ignore: decorator
@inline function isDigit(p: usize): bool {
  return ((load<u8>(p) - 0x30) as u8) < 10;
}

/** The position after a number of any size. */
function numberEnd(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  if (!isDigit(p)) return 0;
  if (load<u8>(p) == 0x30) p++;
  else while (isDigit(p)) p++;
  if (load<u8>(p) == 0x2e) {
    if (!isDigit(++p)) return 0;
    while (isDigit(p)) p++;
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d) p++;
    if (!isDigit(p)) return 0;
    while (isDigit(p)) p++;
  }
  return p;
}

/** The position after a number or a literal. */
function scalarEnd(p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0;
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : 0;
  if (c == 0x66) return load<u32>(p, 1) == 0x65736c61 ? p + 5 : 0;
  return numberEnd(p);
}

/** Where the hash of the last value is. */
export const HASH: usize = memory.data(16, 16);
const ORDERED: usize = memory.data(16, 16);
export const OBJECT = i64x2(0x4f, 0x4f), VALUE = i64x2(0x56, 0x56);
const LIST = i64x2(0x4c, 0x4c);

/** Free memory above everything else: a stack of the hashes of names, for finding those that are repeated. */
export let stack: usize = 0;
export function setStack(at: usize): void {
  stack = at;
}

/** Makes sure that there is memory up to this position. */
export function reserve(end: usize): bool {
  const have: usize = memory.size() << 16;
  if (end <= have) return true;
  const more = max<usize>(end - have, have >> 3);
  return memory.grow(((more + 0xffff) >> 16) as i32) >= 0 || memory.grow(((end - have + 0xffff) >> 16) as i32) >= 0;
}

/**
 * The position after a value of any type. Leaves its hash at {@link HASH}: white space and the order of members do not change it,
 * unless a name is repeated.
 */
export function valueEnd(p: usize, depth: i32): usize {
  const c = load<u8>(p);
  let q: usize;
  if (c == 0x7b) return objectEnd(p, depth + 1);
  if (c == 0x5b) return listEnd(p, depth + 1);
  if (c == 0x22) {
    q = stringEnd(p + 1);
    if (q != 0) q++;
  } else q = scalarEnd(p);
  if (q == 0) return fail(1);
  v128.store(HASH, hashBytes(p, q - p, VALUE));
  return q;
}

function listEnd(p: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return fail(2);
  let hash = LIST;
  p = space(p + 1);
  if (load<u8>(p) == 0x5d) p++;
  else while (true) {
    p = valueEnd(p, depth);
    if (p == 0) return 0;
    hash = hashPair(hash, v128.load(HASH));
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    if (d != 0x5d) return fail(1);
    p++;
    break;
  }
  v128.store(HASH, hash);
  return p;
}

function objectEnd(p: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return fail(2);
  const members = stack;
  let sum = OBJECT;
  let chain = OBJECT;
  p = space(p + 1);
  if (load<u8>(p) == 0x7d) p++;
  else while (true) {
    const name = nameHash(p);
    if (name == 0) return fail(1);
    const seed = v128.load(HASH);
    if (!pushName()) return fail(3);
    p = space(name);
    if (load<u8>(p) != 0x3a) return fail(1);
    const start = space(p + 1);
    p = valueEnd(start, depth);
    if (p == 0) return 0;
    const member = memberHash(seed, start, p);
    sum = i64x2.add(sum, member);
    chain = hashPair(chain, member);
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    if (d != 0x7d) return fail(1);
    p++;
    break;
  }
  v128.store(HASH, sum);
  v128.store(ORDERED, chain);
  const repeated = popNames(members);
  if (repeated < 0) return fail(3);
  if (repeated > 0) v128.store(HASH, v128.load(ORDERED));
  return p;
}

/** The hash of a member, after {@link valueEnd} of its value. */
export function memberHash(name: v128, start: usize, end: usize): v128 {
  const c = load<u8>(start);
  return c == 0x7b || c == 0x5b ? hashPair(name, v128.load(HASH)) : hashBytes(start, end - start, name);
}

/** The position after the name at p, whose hash is left at {@link HASH}. */
// @ts-ignore: decorator
@inline export function nameHash(p: usize): usize {
  if (load<u8>(p) != 0x22) return 0;
  const q = stringEnd(p + 1);
  if (q == 0) return 0;
  v128.store(HASH, hashBytes(p, q + 1 - p, VALUE));
  return q + 1;
}

/** Puts the hash of a name on the stack. */
export function pushName(): bool {
  if (!reserve(stack + 16)) return false;
  store<u64>(stack, load<u64>(HASH) | 1);
  stack += 8;
  return true;
}

/** Takes the names from `from` on off the stack. Gives 1 if one of them is repeated, 0 if none is, -1 if memory cannot grow. */
export function popNames(from: usize): i32 {
  const end = stack;
  const n: usize = (end - from) >> 3;
  stack = from;
  if (n <= 24) {
    for (let a = from; a < end; a += 8)
      for (let b = from; b < a; b += 8) if (load<u64>(a) == load<u64>(b)) return 1;
    return 0;
  }
  const size: usize = (1 as usize) << (33 - clz<u32>(n as u32));
  if (!reserve(end + (size << 3) + 16)) return -1;
  memory.fill(end, 0, size << 3);
  for (let a = from; a < end; a += 8) {
    const name = load<u64>(a);
    let at: usize = ((name >> 20) as usize) & (size - 1);
    while (true) {
      const there = load<u64>(end + (at << 3));
      if (there == name) return 1;
      if (there == 0) break;
      at = (at + 1) & (size - 1);
    }
    store<u64>(end + (at << 3), name);
  }
  return 0;
}
