import { createHash } from "node:crypto";

/** The SHA-256 of text or bytes, as 64 hexadecimal digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Random numbers in [0, 1), the same for the same seed in any version and on any machine: the first 48 bits of the SHA-256 of
 * `<seed> <number of the call>`.
 */
export function seededRandom(seed: number): () => number {
  let calls = 0;
  return () => createHash("sha256").update(`${seed} ${++calls}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
