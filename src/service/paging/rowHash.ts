import { randomBytes } from "node:crypto";

/**
 * A keyed hash of bytes: 85 bits, fast enough for every row of a harvest. The key is drawn anew for each instance, so nobody
 * can choose rows that collide. It is not a cryptographic hash, and its values hold for one instance only.
 */
export class RowHash {
  /** The first 53 bits of the last hash, as a whole number. */
  high = 0;
  /** The other 32 bits. */
  low = 0;
  readonly #key = new Int32Array(new Uint8Array(randomBytes(24)).buffer);

  /** Hashes the bytes from `start` to `end`; `view` is a view of the same bytes. */
  update(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    const key = this.#key;
    const m = (key[4] as number) | 1;
    const n = (key[5] as number) | 1;
    let [a, b, c, d] = key as unknown as [number, number, number, number];
    let p = start;
    // Four lanes that do not wait for each other; every step is one-to-one, so one changed word never cancels out.
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

/** Every bit of the result depends on every bit of the value. */
export function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
