import { randomBytes } from "node:crypto";

/**
 * A keyed 85-bit hash of bytes, fast enough for every row of a harvest. Each instance has a random key, so nobody can choose
 * rows that collide. It is not cryptographic, and hashes of different instances are not comparable.
 */
export class RowHash {
  /** The upper 53 bits of the last hash, as an integer. */
  high = 0;
  /** The lower 32 bits. */
  low = 0;
  readonly #key = new Int32Array(new Uint8Array(randomBytes(24)).buffer);

  /** Hashes the bytes from `start` to `end`; `view` is a view of the same bytes. */
  update(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    const key = this.#key;
    const m = (key[4] as number) | 1;
    const n = (key[5] as number) | 1;
    let [a, b, c, d] = key as unknown as [number, number, number, number];
    let p = start;
    // Four independent lanes run in parallel. Every step is a bijection, so a single changed word never cancels out.
    for (const stop = end - 15; p < stop; p += 16) {
      a = Math.imul(a ^ view.getInt32(p, true), m);
      b = Math.imul(b ^ view.getInt32(p + 4, true), n);
      c = Math.imul(c ^ view.getInt32(p + 8, true), m);
      d = Math.imul(d ^ view.getInt32(p + 12, true), n);
      a ^= a >>> 15;
      b ^= b >>> 15;
      c ^= c >>> 15;
      d ^= d >>> 15;
    }
    for (; p < end; p++) {
      a = Math.imul(a ^ (bytes[p] as number), m);
      b = Math.imul(b ^ (bytes[p] as number), n);
      a ^= a >>> 15;
      b ^= b >>> 15;
    }
    a = mix(a ^ (end - start) ^ Math.imul(d, n));
    b = mix(b ^ a ^ Math.imul(c, m));
    c = mix(c ^ b);
    this.high = (a >>> 0) * 2 ** 21 + (b >>> 11);
    this.low = (mix(d ^ c) ^ a) >>> 0;
  }
}

/** Mixes the bits of a value: every bit of the result depends on every bit of the input. */
export function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
