import { createHash } from "node:crypto";

/**
 * Random numbers from 0 to below 1, the same ones for the same seed in any version and on any machine: the first 48 bits of the SHA-256
 * of `<seed> <number of the call>`.
 */
export function seededRandom(seed: number): () => number {
  let calls = 0;
  return () => createHash("sha256").update(`${seed} ${++calls}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/**
 * Random numbers from 0 to below 1 for simulations, which draw millions: a hundred times as fast as {@link seededRandom}, and also the same ones for
 * the same seed everywhere (splitmix32).
 */
export function fastRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
