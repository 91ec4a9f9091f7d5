// Parses values of one type: to check them while scanning rows, and to read them when writing columns.
// Leaves the value in `State.value`.

import { State } from "./state";

// @ts-ignore: decorator
@inline function two(p: usize): u32 {
  const t: u32 = load<u8>(p) - 0x30, o: u32 = load<u8>(p, 1) - 0x30;
  return t < 10 && o < 10 ? t * 10 + o : 1000;
}

/**
 * Reads a timestamp of the service, `2024-04-27T02:35:35Z"`, as microseconds since 1970. Returns the position after its quote; 0 for
 * anything else, such as a day that does not exist.
 */
export function timestamp(p: usize): usize {
  if (load<u8>(p, 4) != 0x2d || load<u8>(p, 7) != 0x2d || load<u8>(p, 10) != 0x54) return 0;
  if (load<u8>(p, 13) != 0x3a || load<u8>(p, 16) != 0x3a || load<u16>(p, 19) != 0x225a) return 0;
  const century = two(p), rest = two(p + 2), month = two(p + 5), day = two(p + 8);
  const hour = two(p + 11), minute = two(p + 14), second = two(p + 17);
  if (century > 99 || rest > 99 || century < 10 || month < 1 || month > 12 || day < 1) return 0;
  if (hour > 23 || minute > 59 || second > 59) return 0;
  const year = century * 100 + rest;
  const leap: u32 = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 1 : 0;
  if (day > (month == 2 ? 28 + leap : 30 + ((month + (month >> 3)) & 1))) return 0;
  // Days since 1970 in the Gregorian calendar. Years begin in March here, so that the leap day comes last.
  const y = month <= 2 ? year - 1 : year;
  const era = y / 400, ofEra = y - era * 400;
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const days: i64 = (era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear) as i64 - 719468;
  State.value = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000000;
  return p + 21;
}

/** Reads a whole number of at most `most` digits, but not -0. Returns the position after it; 0 for anything else. */
// @ts-ignore: decorator
@inline export function whole(p: usize, most: usize): usize {
  const minus = load<u8>(p) == 0x2d;
  if (minus) p++;
  const start = p;
  let v: u64 = 0;
  let c: u32 = load<u8>(p) - 0x30;
  while (c < 10) {
    v = v * 10 + c;
    p++;
    if (p - start > most) return 0;
    c = load<u8>(p) - 0x30;
  }
  const digits = p - start;
  if (digits == 0 || (load<u8>(start) == 0x30 && (digits > 1 || minus))) return 0;
  State.value = (minus ? -v : v) as i64;
  return p;
}

const POWERS = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);

/**
 * Reads a number of at most 15 characters as the bits of a float: its digits and its power of ten are exact, so one operation rounds
 * it correctly. Returns the position after it; 0 for anything else.
 */
export function float(p: usize): usize {
  const first = p;
  const minus = load<u8>(p) == 0x2d;
  if (minus) p++;
  const start = p;
  let v: i64 = 0, e: i32 = 0;
  let c: u32 = load<u8>(p) - 0x30;
  while (c < 10) { v = v * 10 + c; p++; c = load<u8>(p) - 0x30; if (p - first > 15) return 0; }
  if (p == start || (p - start > 1 && load<u8>(start) == 0x30)) return 0;
  if (load<u8>(p) == 0x2e) {
    const dot = ++p;
    c = load<u8>(p) - 0x30;
    while (c < 10) { v = v * 10 + c; p++; c = load<u8>(p) - 0x30; if (p - first > 15) return 0; }
    if (p == dot) return 0;
    e = -((p - dot) as i32);
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    p++;
    const sign = load<u8>(p);
    if (sign == 0x2b || sign == 0x2d) p++;
    const from = p;
    let x: i32 = 0;
    c = load<u8>(p) - 0x30;
    while (c < 10) { x = x * 10 + c; p++; c = load<u8>(p) - 0x30; if (p - first > 15) return 0; }
    if (p == from) return 0;
    e += sign == 0x2d ? -x : x;
  }
  if (p - first > 15 || e > 22 || e < -22) return 0;
  let f = v as f64;
  f = e < 0 ? f / load<f64>(POWERS + ((-e) << 3)) : f * load<f64>(POWERS + (e << 3));
  // No negative zero, because the slow path for irregular rows has none either.
  State.value = v == 0 ? 0 : reinterpret<i64>(minus ? -f : f);
  return p;
}
