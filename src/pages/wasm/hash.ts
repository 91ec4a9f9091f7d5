// A keyed hash, the same for all spellings of a value: four lanes of 32 bits in parallel, as fast as memory, not cryptographic.

import { reserve, stack } from "./memory";
import { escaped, lone, unescape } from "./text";

/** Two odd multipliers per lane, set once from random numbers: nobody can choose rows that collide. */
const KEY: usize = memory.data(32, 16);

export function keyAt(): usize {
  return KEY;
}

/** 16 bytes of ones and then 16 of zeros, to cut off what follows the last bytes. */
const MASKS: usize = memory.data<u64>([-1, -1, 0, 0], 16);

/** The hash of bytes. It may read 15 bytes beyond them. */
// @ts-ignore: decorator
@inline export function hashBytes(p: usize, length: usize, seed: v128): v128 {
  const m = v128.load(KEY), n = v128.load(KEY, 16);
  let h = v128.xor(seed, i32x4.splat(length as i32));
  while (length > 16) {
    h = i32x4.mul(v128.xor(h, v128.load(p)), m);
    h = v128.xor(h, i32x4.shr_u(h, 15));
    p += 16;
    length -= 16;
  }
  h = v128.xor(h, v128.and(v128.load(p), v128.load(MASKS + 16 - length)));
  return mixed(h, m, n);
}

/** The hash of two hashes, in this order. */
// @ts-ignore: decorator
@inline export function hashPair(a: v128, b: v128): v128 {
  const m = v128.load(KEY), n = v128.load(KEY, 16);
  let h = i32x4.mul(a, m);
  h = v128.xor(v128.xor(h, i32x4.shr_u(h, 15)), b);
  return mixed(h, m, n);
}

/** Mixes the lanes: every bit of the result depends on every bit of the input. */
// @ts-ignore: decorator
@inline function mixed(v: v128, m: v128, n: v128): v128 {
  let h = i32x4.mul(v, m);
  h = v128.xor(h, i32x4.shr_u(h, 16));
  h = i32x4.mul(i32x4.add(h, i8x16.shuffle(h, h, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3)), n);
  h = v128.xor(h, i32x4.shr_u(h, 13));
  h = i32x4.mul(v128.xor(h, i8x16.shuffle(h, h, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)), m);
  return v128.xor(h, i32x4.shr_u(h, 15));
}

/**
 * The hash of the string at p, `length` bytes with its quotes, that was stepped over last. Escapes are resolved above the stack; only
 * half surrogate pairs make a difference, which no other bytes may imitate.
 */
// @ts-ignore: decorator
@inline export function stringHash(p: usize, length: usize, seed: v128): v128 {
  return escaped ? escapedHash(p, length, seed) : hashBytes(p, length, seed);
}

/** That of a string with escapes. */
export function escapedHash(p: usize, length: usize, seed: v128): v128 {
  if (!reserve(stack + length + 64)) return hashBytes(p, length, seed);
  store<u8>(stack, 0x22);
  const end = unescape(p + 1, p + length - 1, stack + 1);
  store<u8>(end, 0x22);
  const hash = hashBytes(stack, end + 1 - stack, seed);
  return lone ? hashPair(hash, seed) : hash;
}

// @ts-ignore: decorator
@inline export function isDigit(p: usize): bool {
  return ((load<u8>(p) - 0x30) as u8) < 10;
}

/** The digits of the last number whose hash was computed, and the power of ten; negative if the number is negative or has a fraction. */
let digitsFrom: usize = 0;
let digitsTo: usize = 0;
let powerOfTen: i64 = -1;

/** The last number whose hash was computed; -1 unless it is a whole number, not negative, of at most so many digits. */
export function smallNumber(most: usize): i64 {
  if (powerOfTen < 0 || powerOfTen + ((digitsTo - digitsFrom) as i64) > (most as i64)) return -1;
  let number: i64 = 0;
  for (let p = digitsFrom; p < digitsTo; p++) number = number * 10 + (load<u8>(p) - 0x30);
  for (let power = powerOfTen; power > 0; power--) number *= 10;
  return number;
}

/** Exponents with more digits are compared as spelled. */
const MAX_EXPONENT_DIGITS: usize = 15;

/** The hash of a number: that of its digits without zeros around them, and of their power of ten and their sign unless they are 0 and +. */
export function numberHash(p: usize, end: usize, seed: v128): v128 {
  let minus = load<u8>(p) == 0x2d;
  let from = minus ? p + 1 : p;
  let q = from;
  while (isDigit(q)) q++;
  let to = q;
  let power: i64 = 0;
  if (q < end && load<u8>(q) == 0x2e) {
    // The digits before and after the point, side by side above the stack.
    if (!reserve(stack + (end - p) + 64)) return hashBytes(p, end - p, seed);
    memory.copy(stack, from, q - from);
    to = stack + (q - from);
    for (q++; q < end && isDigit(q); q++) { store<u8>(to++, load<u8>(q)); power--; }
    from = stack;
  }
  if (q < end) {
    q++;
    const sign = load<u8>(q);
    if (sign == 0x2b || sign == 0x2d) q++;
    while (q < end && load<u8>(q) == 0x30) q++;
    if (end - q > MAX_EXPONENT_DIGITS) {
      powerOfTen = -1;
      return hashBytes(p, end - p, seed);
    }
    let exponent: i64 = 0;
    for (; q < end; q++) exponent = exponent * 10 + (load<u8>(q) - 0x30);
    power += sign == 0x2d ? -exponent : exponent;
  }
  while (from < to && load<u8>(from) == 0x30) from++;
  if (from == to) {
    // Zero has no sign and no power.
    from--;
    power = 0;
    minus = false;
  } else while (load<u8>(to - 1) == 0x30) { to--; power++; }
  digitsFrom = from;
  digitsTo = to;
  powerOfTen = minus ? -1 : power;
  const hash = hashBytes(from, to - from, seed);
  return power == 0 && !minus ? hash : hashPair(hash, i64x2.replace_lane(i64x2.splat(power), 1, minus ? 1 : 0));
}
