import { createHash } from "node:crypto";

/**
 * Random numbers from 0 to below 1, the same ones for the same seed in any version and on any machine: the first 48 bits of
 * the SHA-256 of `<seed> <number of the call>`.
 *
 * @example
 * const random = seededRandom(1);
 * random() === seededRandom(1)(); //=> true
 */
export function seededRandom(seed: number): () => number {
  let calls = 0;
  return () => createHash("sha256").update(`${seed} ${++calls}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
