// Rows of JSON, recorded one after another: where each is, its id and its hash, and where the values of the members of the shape are.

import { hashBytes, hashPair } from "./hash";
import { float, timestamp, value, whole } from "./scalars";
import { afterColon, BOOL, count, DATETIME, FLOAT, idMember, INT, isKey, keyHash, keyLength, LONG, memberAt, STRING, typeOf } from "./shape";
import {
  escaped, fail, HASH, lone, memberHash, nameHash, OBJECT, popNames, pushName, reserve, setStack, space, stack, stringEnd, valueEnd,
} from "./values";

// A record: start and end of the row (u32), id (f64, or start and end of its text), upper 53 bits of the hash (f64), lower 32, flags;
// then for each member of the shape a cell (u64): start, length, and whether it has escapes.
export const HEADER: usize = 32;
export const MISSING: u64 = u64.MAX_VALUE, NULL_CELL: u64 = u64.MAX_VALUE - 1, ESCAPED: u64 = 1 << 63;
/** Flags of a record. */
const IRREGULAR: u32 = 1, NUMBER_ID: u32 = 2, TEXT_ID: u32 = 4;
/** Of digits that are exact in every type that may hold the value. */
const SAFE_DIGITS: usize = 15;

let base: usize = 0;
let limit: usize = 0;
let record: usize = 0;
let stride: usize = 0;
/** The member of the shape that stood at each place of the last row. Rows nearly always have the same order. */
let order: usize = 0;

export let rows: i32 = 0;

/**
 * Prepares for the rows of one body.
 *
 * @param input the position of its first byte, from which offsets are counted
 * @param orderAt room for four bytes per member
 * @param tape the position of the first record; nothing is above it
 * @param bytes the size that records may have before rows are recorded without cells
 */
export function beginRows(input: usize, orderAt: usize, tape: usize, bytes: usize): void {
  base = input;
  order = orderAt;
  memory.fill(orderAt, 0xff, ((count as usize) + 1) << 2);
  record = tape;
  limit = tape + bytes;
  stride = HEADER + ((count as usize) << 3);
  rows = 0;
  setStack(tape);
}

export function recordsEnd(): usize {
  return record;
}

/** The position after the list of rows whose bracket is at p. 0 if it is not JSON or has anything but objects. */
export function scanRows(p: usize): usize {
  p = space(p + 1);
  if (load<u8>(p) == 0x5d) return p + 1;
  while (true) {
    p = scanRow(p);
    if (p == 0) return 0;
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    return d == 0x5d ? p + 1 : fail(1);
  }
}

/** The position after the row at p, which it records. */
export function scanRow(p: usize): usize {
  if (load<u8>(p) != 0x7b) return fail(4);
  if (record + stride > limit) return fail(5);
  if (!reserve(record + stride + 64)) return fail(3);
  // No id. Of earlier pages nothing may stay in a record.
  store<u64>(record, 0, 8);
  let end = fitRow(p);
  let flags: u32 = 0;
  if (end != 0) {
    if (idMember >= 0) flags = idOfCell(load<u64>(record + HEADER + ((idMember as usize) << 3)));
  } else {
    end = anyRow(p);
    if (end == 0) return 0;
    flags = IRREGULAR | (idStart == 0 ? 0 : idOf(idStart, idEnd));
  }
  store<u32>(record, (p - base) as u32);
  store<u32>(record, (end - base) as u32, 4);
  // The lower half is mixed once more: it alone tells rows with the same id apart.
  const a = load<u64>(HASH), b = load<u64>(HASH, 8);
  store<f64>(record, (a >> 11) as f64, 16);
  store<u32>(record, ((b ^ (b >> 32) ^ (a << 7)) & 0xffffffff) as u32, 24);
  store<u32>(record, flags, 28);
  record += stride;
  rows++;
  return end;
}

/** The position after a row that fits the shape, whose cells it writes; 0 for any other. Leaves its hash at HASH. */
function fitRow(p: usize): usize {
  const cells = record + HEADER;
  memory.fill(cells, 0xff, (count as usize) << 3);
  let sum = OBJECT;
  let place = order;
  p = space(p + 1);
  if (load<u8>(p) != 0x7d) while (true) {
    let at: i32 = load<i32>(place);
    if (at < 0 || !isKey(p, at)) {
      at = memberAt(p, at + 1);
      if (at < 0) return 0;
      store<i32>(place, at);
    }
    const cell = cells + ((at as usize) << 3);
    if (load<u64>(cell) != MISSING) return 0;
    place += 4;
    p = afterColon(p + keyLength(at));
    if (p == 0) return 0;
    p = space(p);
    const start = p;
    const type = typeOf(at);
    const c = load<u8>(p);
    if (c == 0x6e) {
      if (load<u32>(p) != 0x6c6c756e) return 0;
      store<u64>(cell, NULL_CELL);
      p += 4;
    } else if (c == 0x22) {
      if (type == STRING) {
        p = stringEnd(p + 1);
        if (p == 0 || lone) return 0;
        store<u64>(cell, (((p - start - 1) as u64) << 32) | ((start + 1 - base) as u64) | (escaped ? ESCAPED : 0));
        p++;
      } else if (type == DATETIME) {
        if (load<u8>(p, 1) == 0x22) {
          store<u64>(cell, NULL_CELL);
          p += 2;
        } else {
          p = timestamp(p + 1);
          if (p == 0) return 0;
          store<u64>(cell, ((20 as u64) << 32) | ((start + 1 - base) as u64));
        }
      } else return 0;
    } else {
      if (type == INT) p = whole(p, SAFE_DIGITS);
      else if (type == FLOAT) p = float(p);
      else if (type == LONG) p = whole(p, 20);
      else if (type != BOOL) return 0;
      else if (load<u32>(p) == 0x65757274) p += 4;
      else if (c == 0x66 && load<u32>(p, 1) == 0x65736c61) p += 5;
      else return 0;
      if (p == 0) return 0;
      store<u64>(cell, (((p - start) as u64) << 32) | ((start - base) as u64));
    }
    sum = i64x2.add(sum, hashBytes(start, p - start, keyHash(at)));
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    if (d != 0x7d) return 0;
    break;
  }
  v128.store(HASH, sum);
  return p + 1;
}

/** Where the value of the last member named id of {@link anyRow} is; 0 if there is none. */
let idStart: usize = 0;
let idEnd: usize = 0;

/** The position after a row of any form. Leaves its hash at HASH. */
function anyRow(p: usize): usize {
  memory.fill(record + HEADER, 0xff, (count as usize) << 3);
  setStack((record + stride + 15) & ~15);
  idStart = 0;
  const names = stack;
  let sum = OBJECT;
  let chain = OBJECT;
  p = space(p + 1);
  if (load<u8>(p) != 0x7d) while (true) {
    const name = p;
    p = nameHash(p);
    if (p == 0) return fail(1);
    const hash = v128.load(HASH);
    if (!pushName()) return fail(3);
    const isId = isIdName(name + 1, p - 1);
    p = afterColon(p);
    if (p == 0) return fail(1);
    const start = space(p);
    p = valueEnd(start, 0);
    if (p == 0) return 0;
    if (isId) { idStart = start; idEnd = p; }
    const member = memberHash(hash, start, p);
    sum = i64x2.add(sum, member);
    chain = hashPair(chain, member);
    p = space(p);
    const d = load<u8>(p);
    if (d == 0x2c) { p = space(p + 1); continue; }
    if (d != 0x7d) return fail(1);
    break;
  }
  const repeated = popNames(names);
  if (repeated < 0) return fail(3);
  v128.store(HASH, repeated > 0 ? chain : sum);
  return p + 1;
}

/** Whether a name is `id`, with or without escapes. */
function isIdName(p: usize, end: usize): bool {
  if (end - p == 2) return load<u16>(p) == 0x6469;
  p = afterLetter(p, 0x69, 0x39);
  return p != 0 && afterLetter(p, 0x64, 0x34) == end;
}

/** The position after a letter, or its escape, whose last digit is given. */
function afterLetter(p: usize, letter: u8, digit: u8): usize {
  if (load<u8>(p) == letter) return p + 1;
  return load<u32>(p) == 0x3030755c && load<u8>(p, 4) == 0x36 && load<u8>(p, 5) == digit ? p + 6 : 0;
}

/** Records the id that a cell holds; gives its flag. */
// @ts-ignore: decorator
@inline function idOfCell(cell: u64): u32 {
  if (cell >= NULL_CELL) return 0;
  const start = base + ((cell & 0xffffffff) as usize);
  const end = start + (((cell & ~ESCAPED) >> 32) as usize);
  const isText = typeOf(idMember) == STRING || typeOf(idMember) == DATETIME;
  return isText ? idOf(start - 1, end + 1) : idOf(start, end);
}

/** Records the id whose value is spelled here. Whole numbers become numbers, quoted or not, so that a set of many ids stays small. */
function idOf(start: usize, end: usize): u32 {
  const quoted = load<u8>(start) == 0x22;
  const from = quoted ? start + 1 : start, to = quoted ? end - 1 : end;
  if (from == to || load<u8>(start) == 0x6e) return 0;
  if (to - from <= SAFE_DIGITS && whole(from, SAFE_DIGITS) == to && load<u8>(from) != 0x2d) {
    store<f64>(record, value as f64, 8);
    return NUMBER_ID;
  }
  store<u32>(record, (start - base) as u32, 8);
  store<u32>(record, (end - base) as u32, 12);
  return TEXT_ID;
}

/** The position after a value that is no row; records stay as they are. */
export function skipValue(p: usize): usize {
  setStack((record + 15) & ~15);
  return valueEnd(p, 0);
}

/** The position after the string whose first byte is at p. */
export function skipString(p: usize): usize {
  const q = stringEnd(p);
  return q == 0 ? fail(1) : q + 1;
}
