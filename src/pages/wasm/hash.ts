// A keyed hash with four 32-bit lanes, as fast as memory, not cryptographic.

/** Two odd random multipliers per lane, so that nobody can construct rows that collide. */
const KEY: usize = memory.data(32, 16);

export function keyAt(): usize {
  return KEY;
}

/** 16 bytes of ones, then 16 of zeros, to mask what follows the last bytes. */
const MASKS: usize = memory.data<u64>([-1, -1, 0, 0], 16);

/** Hashes bytes. May read 15 bytes beyond them. */
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

/** Combines two hashes; the order matters. */
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
