// Scans rows of JSON and records for each its position, its id, its hash, and the positions of the values of the schema's members.

import { hashBytes } from "./hash";
import { float, timestamp, whole } from "./scalars";
import { afterColon, BOOL, DATETIME, FLOAT, INT, isKey, keyHash, keyLength, memberAt, STRING, typeOf } from "./schema";
import { State } from "./state";
import { stringEnd } from "./text";
import { fail, HASH, OBJECT, objectEnd, setId, space, VALUE, valueEnd } from "./values";

// A record: start and end of the row (u32), its id (f64, see `idKey`), upper 53 bits of its hash (f64), lower 32 (u64);
// then for each member of the schema a cell (u64): start, length, and whether it has escapes.
export const HEADER: usize = 32;
const MISSING: u64 = u64.MAX_VALUE;
export const NULL_CELL: u64 = u64.MAX_VALUE - 1, ESCAPED: u64 = 1 << 63;
/** Numbers with at most this many digits are exact in every numeric type. */
const SAFE_DIGITS: usize = 15;

/**
 * Prepares for the rows of one body.
 *
 * @param input the position of its first byte, the base of offsets
 * @param orderAt space for four bytes per member
 * @param records the position of the first record
 * @param bytes the maximum size of all records
 */
export function beginRows(input: usize, orderAt: usize, records: usize, bytes: usize): void {
  State.base = input;
  State.order = orderAt;
  memory.fill(orderAt, 0xff, ((State.count as usize) + 1) << 2);
  State.record = records;
  State.limit = records + bytes;
  State.stride = HEADER + ((State.count as usize) << 3);
  State.irregular = 0;
}

export function recordsEnd(): usize {
  return State.record;
}

/** Returns the position after the list of rows whose bracket is at p; 0 if it is not JSON or contains anything but objects. */
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

/** Grows the memory to a position, if necessary. Returns whether that succeeded. */
function reserve(end: usize): bool {
  const have: usize = memory.size() << 16;
  if (end <= have) return true;
  const more = max<usize>(end - have, have >> 3);
  return memory.grow(((more + 0xffff) >> 16) as i32) >= 0 || memory.grow(((end - have + 0xffff) >> 16) as i32) >= 0;
}

/** Records the row at p. Returns the position after it. */
export function scanRow(p: usize): usize {
  if (load<u8>(p) != 0x7b) return fail(4);
  if (State.record + State.stride > State.limit) return fail(5);
  if (!reserve(State.record + State.stride + 64)) return fail(3);
  setId(0, 0);
  let end = fitRow(p);
  if (end == 0) {
    setId(0, 0);
    memory.fill(State.record + HEADER, 0xff, (State.count as usize) << 3);
    end = objectEnd(p, 0);
    if (end == 0) return 0;
    State.irregular++;
  }
  store<f64>(State.record, State.idStart == 0 ? -1 : idKey(), 8);
  store<u32>(State.record, (p - State.base) as u32);
  store<u32>(State.record, (end - State.base) as u32, 4);
  // Mix the lower half once more: it alone distinguishes rows with the same id.
  const a = load<u64>(HASH), b = load<u64>(HASH, 8);
  store<f64>(State.record, (a >> 11) as f64, 16);
  store<u64>(State.record, (b ^ (b >> 32) ^ (a << 7)) & 0xffffffff, 24);
  State.record += State.stride;
  return end;
}

/** Writes the cells of a row that fits the schema, and its hash to HASH. Returns the position after it; 0 for any other row. */
function fitRow(p: usize): usize {
  const cells = State.record + HEADER;
  memory.fill(cells, 0xff, (State.count as usize) << 3);
  let sum = OBJECT;
  let place = State.order;
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
        if (p == 0 || State.lone) return 0;
        store<u64>(cell, (((p - start - 1) as u64) << 32) | ((start + 1 - State.base) as u64) | (State.escaped ? ESCAPED : 0));
        p++;
      } else if (type == DATETIME) {
        if (load<u8>(p, 1) == 0x22) {
          store<u64>(cell, NULL_CELL);
          p += 2;
        } else {
          p = timestamp(p + 1);
          if (p == 0) return 0;
          store<u64>(cell, ((20 as u64) << 32) | ((start + 1 - State.base) as u64));
        }
      } else return 0;
    } else {
      if (type == INT) p = whole(p, SAFE_DIGITS);
      else if (type == FLOAT) p = float(p);
      else if (type != BOOL) return 0;
      else if (load<u32>(p) == 0x65757274) p += 4;
      else if (c == 0x66 && load<u32>(p, 1) == 0x65736c61) p += 5;
      else return 0;
      if (p == 0) return 0;
      store<u64>(cell, (((p - start) as u64) << 32) | ((start - State.base) as u64));
    }
    if (at == State.idMember) setId(start, p);
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

/** A key for the id of a row: a whole number of up to 15 digits, quoted or not, or 53 bits of the hash; -1 if there is no id. */
function idKey(): f64 {
  const c = load<u8>(State.idStart);
  const quote: usize = c == 0x22 ? 1 : 0;
  const first = State.idStart + quote, end = State.idEnd - quote;
  if (first == end || c == 0x6e) return -1;
  if (load<u8>(first) != 0x2d && whole(first, SAFE_DIGITS) == end) return State.value as f64;
  return ((i64x2.extract_lane(hashBytes(first, end - first, VALUE), 0) as u64) >> 11) as f64;
}

/** Returns the position after a value, without recording it. */
export function skipValue(p: usize): usize {
  return valueEnd(p, 0, VALUE);
}

/** Returns the position after the string whose first byte is at p. */
export function skipString(p: usize): usize {
  const q = stringEnd(p);
  return q == 0 ? fail(1) : q + 1;
}
