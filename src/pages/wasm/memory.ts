// Memory above the records, and why a scan has failed.

/** Why a value was refused: 1 it is not JSON, 2 it is nested too deeply, 3 memory cannot grow. */
export let failure: i32 = 0;

export function fail(reason: i32): usize {
  failure = reason;
  return 0;
}

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
