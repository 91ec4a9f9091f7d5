import { createHash } from "node:crypto";

/**
 * Random numbers in [0, 1), the same for the same seed in any version and on any machine: the first 48 bits of the SHA-256 of
 * `<seed> <number of the call>`.
 */
export function seededRandom(seed: number): () => number {
  let calls = 0;
  return () => createHash("sha256").update(`${seed} ${++calls}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
