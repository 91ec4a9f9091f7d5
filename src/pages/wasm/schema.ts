// The expected members of rows.

import { hashBytes } from "./hash";
import { State } from "./state";
import { stringEnd } from "./text";
import { HASH, nameHash, space, VALUE } from "./values";

/** The type numbers of `scanner.ts`. */
export const STRING: i32 = 0, INT: i32 = 1, FLOAT: i32 = 2, BOOL: i32 = 3, DATETIME: i32 = 4, NULL: i32 = 5;

// A member, 32 bytes: position and length of its key, its type, the next member with the same slot, the hash of its name.
// A key is the quoted name: 16 bytes of it, a mask of those, 16 bytes, a mask, …
const MEMBER: usize = 32;

/** With at most this many members, a name is compared to each. */
const MAX_COMPARED: i32 = 16;

/** Bytes that {@link beginSchema} needs for `most` members, without their keys. */
export function schemaBytes(most: i32): usize {
  return (most as usize) * (MEMBER + 8) + 1024;
}

/** Begins a schema of `most` members, to be added by {@link addMember}. Returns the position for their keys. */
export function beginSchema(at: usize, most: i32): usize {
  State.members = at;
  State.slots = at + (most as usize) * MEMBER;
  const size: usize = most <= 1 ? 2 : (1 as usize) << (33 - clz<u32>(most - 1));
  State.mask = size - 1;
  memory.fill(State.slots, 0xff, size << 2);
  State.count = 0;
  State.idMember = -1;
  return (State.slots + (size << 2) + 15) & ~15;
}

/** Adds the member whose quoted name is at `name`, followed by 16 zeros. Returns the position for the next key. */
export function addMember(key: usize, name: usize, length: usize, type: i32): usize {
  const m = State.members + (State.count as usize) * MEMBER;
  store<u32>(m, key as u32);
  store<u32>(m, length as u32, 4);
  store<u32>(m, type, 8);
  nameHash(name);
  v128.store(m, v128.load(HASH), 16);
  const hash = hashBytes(name, length, VALUE);
  const slot = State.slots + (((i32x4.extract_lane(hash, 0) as usize) & State.mask) << 2);
  store<i32>(m, load<i32>(slot), 12);
  store<i32>(slot, State.count);
  if (length == 4 && load<u32>(name) == 0x22646922) State.idMember = State.count;
  for (let done: usize = 0; done < length; done += 16) {
    v128.store(key, v128.load(name + done));
    for (let at: usize = 0; at < 16; at++) store<u8>(key + at, done + at < length ? 0xff : 0, 16);
    key += 32;
  }
  State.count++;
  return key;
}

// @ts-ignore: decorator
@inline export function typeOf(at: i32): i32 {
  return load<i32>(State.members + (at as usize) * MEMBER, 8);
}

// @ts-ignore: decorator
@inline export function keyHash(at: i32): v128 {
  return v128.load(State.members + (at as usize) * MEMBER, 16);
}

// @ts-ignore: decorator
@inline export function keyLength(at: i32): usize {
  return load<u32>(State.members + (at as usize) * MEMBER, 4);
}

/** Whether the quoted name at p is the key of a member. */
// @ts-ignore: decorator
@inline export function isKey(p: usize, at: i32): bool {
  const m = State.members + (at as usize) * MEMBER;
  const key: usize = load<u32>(m);
  if (v128.any_true(v128.and(v128.xor(v128.load(p), v128.load(key)), v128.load(key, 16)))) return false;
  return load<u32>(m, 4) <= 16 || isSameTail(p, key, load<u32>(m, 4));
}

function isSameTail(p: usize, key: usize, length: usize): bool {
  for (let done: usize = 16; done < length; done += 16) {
    p += 16;
    key += 32;
    if (v128.any_true(v128.and(v128.xor(v128.load(p), v128.load(key)), v128.load(key, 16)))) return false;
  }
  return true;
}

/** The member named at p, searched from `first` on; -1 if the schema does not have it. */
export function memberAt(p: usize, first: i32): i32 {
  if (load<u8>(p) != 0x22) return -1;
  if (State.count <= MAX_COMPARED) {
    for (let at = first; at < State.count; at++) if (isKey(p, at)) return at;
    if (first > State.count) first = State.count;
    for (let at = 0; at < first; at++) if (isKey(p, at)) return at;
    return -1;
  }
  const q = stringEnd(p + 1);
  if (q == 0) return -1;
  const hash = hashBytes(p, q + 1 - p, VALUE);
  let at = load<i32>(State.slots + (((i32x4.extract_lane(hash, 0) as usize) & State.mask) << 2));
  while (at >= 0 && !isKey(p, at)) at = load<i32>(State.members + (at as usize) * MEMBER, 12);
  return at;
}

/** The position after the colon that follows a name; 0 if there is none. */
// @ts-ignore: decorator
@inline export function afterColon(p: usize): usize {
  if (load<u8>(p) == 0x3a) return p + 1;
  p = space(p);
  return load<u8>(p) == 0x3a ? p + 1 : 0;
}
