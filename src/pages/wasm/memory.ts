// Memory, and why a scan failed.

/** Why a scan failed: 1 not JSON, 2 nested too deeply, 3 memory cannot grow, 4 a row is not an object, 5 no space for records. */
export let failure: i32 = 0;

export function fail(reason: i32): usize {
  failure = reason;
  return 0;
}

/** Grows the memory to a position, if necessary. Returns whether that succeeded. */
export function reserve(end: usize): bool {
  const have: usize = memory.size() << 16;
  if (end <= have) return true;
  const more = max<usize>(end - have, have >> 3);
  return memory.grow(((more + 0xffff) >> 16) as i32) >= 0 || memory.grow(((end - have + 0xffff) >> 16) as i32) >= 0;
}
