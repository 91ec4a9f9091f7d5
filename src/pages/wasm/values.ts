// Skips JSON values in linear memory. The input ends with a zero byte, which neither values nor white space contain, so nothing reads
// more than 20 bytes beyond it. Functions return the next position, or 0 for unexpected bytes.

import { hashBytes, hashPair } from "./hash";
import { State } from "./state";
import { stringEnd } from "./text";

export function fail(reason: i32): usize {
  State.failure = reason;
  return 0;
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
 * Skips a value of any type. Leaves its hash at {@link HASH}, which does not depend on white space or the order of members.
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
  v128.store(HASH, hashBytes(p, q - p, seed));
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
  v128.store(HASH, hashBytes(p, q + 1 - p, VALUE));
  return q + 1;
}
