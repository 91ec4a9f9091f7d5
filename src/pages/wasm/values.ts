// Skips JSON values in linear memory. The input ends with a zero byte, which neither values nor white space contain, so nothing reads
// more than 20 bytes beyond it. Functions return the next position, or 0 for unexpected bytes.

import { hashBytes, hashPair } from "./hash";
import { State } from "./state";
import { stringEnd, unescape } from "./text";

export function fail(reason: i32): usize {
  State.failure = reason;
  return 0;
}

/** Grows the memory to a position, if necessary. Returns whether that succeeded. */
export function reserve(end: usize): bool {
  const have: usize = memory.size() << 16;
  if (end <= have) return true;
  const more = max<usize>(end - have, have >> 3);
  return memory.grow(((more + 0xffff) >> 16) as i32) >= 0 || memory.grow(((end - have + 0xffff) >> 16) as i32) >= 0;
}

/** Deeper nesting is rejected, so that these functions and later code can be recursive. */
const MAX_DEPTH: i32 = 500;

/** Skips white space. */
// @ts-ignore: decorator
@inline export function space(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c > 0x20 || (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09)) return p;
    p++;
  }
}

// @ts-ignore: decorator
@inline function isDigit(p: usize): bool {
  return ((load<u8>(p) - 0x30) as u8) < 10;
}

/** Skips a number of any size. */
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

/** Normalizes the spelling of a number or a string, so that equal values are equal bytes: `1.0` and `10e-1` to `1`, `"\\u00e9"` to `"é"`. */
export function plain(p: usize, end: usize, hasEscapes: bool): void {
  const c = load<u8>(p);
  State.from = p;
  State.to = end;
  if (c == 0x22 ? !hasEscapes : (c > 0x39 || isDigits(p, end))) return;
  if (!reserve(State.free + (end - p) + 160)) return;
  if (c != 0x22) return plainNumber(p, end);
  State.from = State.free;
  State.to = unescape(p, end, State.free);
}

/** Whether a number consists of digits only, perhaps after a minus, but is not -0. */
function isDigits(p: usize, end: usize): bool {
  if (load<u8>(p) == 0x2d && load<u8>(++p) == 0x30) return false;
  while (p < end) if (!isDigit(p++)) return false;
  return true;
}

/** Larger exponents are not expanded to zeros. */
const MAX_ZEROS: i64 = 64;

function plainNumber(p: usize, end: usize): void {
  const minus = load<u8>(p) == 0x2d;
  if (minus) p++;
  State.from = State.free + 1;
  State.to = State.from;
  let exponent: i64 = 0, isFraction = false;
  for (; p < end && (load<u8>(p) | 0x20) != 0x65; p++) {
    if (load<u8>(p) == 0x2e) { isFraction = true; continue; }
    if (State.to > State.from || load<u8>(p) != 0x30) store<u8>(State.to++, load<u8>(p));
    if (isFraction) exponent--;
  }
  if (p < end) {
    const sign = load<u8>(++p);
    let x: i64 = 0;
    for (; p < end; p++) if (isDigit(p) && x < 1000000000000000) x = x * 10 + (load<u8>(p) - 0x30);
    exponent += sign == 0x2d ? -x : x;
  }
  for (; State.to > State.from && load<u8>(State.to - 1) == 0x30; State.to--) exponent++;
  if (State.to == State.from) { store<u8>(State.to++, 0x30); return; }
  if (exponent < 0 || exponent > MAX_ZEROS) {
    store<u8>(State.to, 0x65);
    store<i64>(State.to + 1, exponent);
    State.to += 9;
  } else while (exponent-- > 0) store<u8>(State.to++, 0x30);
  if (minus) store<u8>(--State.from, 0x2d);
}

/** Hashes a number, a literal, or the string that {@link stringEnd} read last. */
// @ts-ignore: decorator
@inline export function scalarHash(p: usize, end: usize, seed: v128): v128 {
  plain(p, end, State.escaped);
  return hashBytes(State.from, State.to - State.from, seed);
}

/** Skips a number or a literal. */
function scalarEnd(p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0;
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : 0;
  if (c == 0x66) return load<u32>(p, 1) == 0x65736c61 ? p + 5 : 0;
  return numberEnd(p);
}

/** The position of the hash of the last value. */
export const HASH: usize = memory.data(16, 16);
export const OBJECT = i64x2(0x4f, 0x4f), VALUE = i64x2(0x56, 0x56);
const LIST = i64x2(0x4c, 0x4c);

/**
 * Skips a value of any type. Leaves its hash at {@link HASH}, which does not depend on white space, the order of members, or the
 * spelling of numbers and text.
 */
export function valueEnd(p: usize, depth: i32, seed: v128): usize {
  const c = load<u8>(p);
  let q: usize;
  if (c == 0x7b || c == 0x5b) {
    q = c == 0x7b ? objectEnd(p, depth + 1) : listEnd(p, depth + 1);
    if (q != 0) v128.store(HASH, hashPair(seed, v128.load(HASH)));
    return q;
  }
  if (c == 0x22) {
    q = stringEnd(p + 1);
    if (q != 0) q++;
  } else q = scalarEnd(p);
  if (q == 0) return fail(1);
  v128.store(HASH, scalarHash(p, q, seed));
  return q;
}

function listEnd(p: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return fail(2);
  let hash = LIST;
  p = space(p + 1);
  if (load<u8>(p) == 0x5d) p++;
  else while (true) {
    p = valueEnd(p, depth, VALUE);
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

// @ts-ignore: decorator
@inline export function setId(start: usize, end: usize): void {
  State.idStart = start;
  State.idEnd = end;
}

/** Skips an object. At depth 0 it is a row, whose id it notes. */
export function objectEnd(p: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return fail(2);
  let sum = OBJECT;
  p = space(p + 1);
  if (load<u8>(p) == 0x7d) p++;
  else while (true) {
    const name = p;
    p = nameHash(p);
    if (p == 0) return fail(1);
    const isId = depth == 0 && p - name == 4 && load<u16>(name, 1) == 0x6469;
    const seed = v128.load(HASH);
    p = space(p);
    if (load<u8>(p) != 0x3a) return fail(1);
    const start = space(p + 1);
    p = valueEnd(start, depth, seed);
    if (p == 0) return 0;
    if (isId) setId(start, p);
    sum = i64x2.add(sum, v128.load(HASH));
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    if (d != 0x7d) return fail(1);
    p++;
    break;
  }
  v128.store(HASH, sum);
  return p;
}

/** Skips the name at p. Leaves its hash at {@link HASH}. */
// @ts-ignore: decorator
@inline export function nameHash(p: usize): usize {
  if (load<u8>(p) != 0x22) return 0;
  const q = stringEnd(p + 1);
  if (q == 0) return 0;
  v128.store(HASH, scalarHash(p, q + 1, VALUE));
  return q + 1;
}
