import { loadWasm } from "../../util/loadWasm.js";

/** The functions of `wasm/keyFilter.ts`. Positions are addresses in its memory. */
interface FilterExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  textAt(): number;
  needleAt(): number;
  spansAt(): number;
  maxText(): number;
  setNeedle(length: number, first: number, second: number, third: number, shortestRun: number): void;
  search(length: number, shortestRun: number, keyLength: number, beyondAscii: number): number;
}

/** Zeros behind the text, which the filter may read. */
const MARGIN = 1024;
const MAX_NEEDLE = 256;

/** Characters from the most frequent to the rarest in JSON. The filter looks for the rarest ones first. */
const BY_FREQUENCY = "etaoinsrhldcu0123456789mfpgw-.ybvk_xjqz~";

/** What the filter looks for. */
export interface KeyTraits {
  /** At least four letters, digits or `._~-` of the key in a row, which an encoder need not escape. */
  readonly run: string;
  /** Characters of the key. */
  readonly keyLength: number;
  /** The shortest run of base64 letters that can contain the key. */
  readonly shortestRun: number;
  readonly isAscii: boolean;
  /** The most bytes that the key takes if all of it is escaped. */
  readonly reach: number;
  /** Bytes by which blocks of a large body overlap. */
  readonly overlap: number;
}

/** The instance and the filter whose needle is set in it. */
let shared: { readonly exports: FilterExports; readonly bytes: Buffer; filter?: KeyFilter } | undefined;

/**
 * Rules out nearly every body that does not contain a key, in any of the encodings that `KeyFinder` knows, at a rate of
 * gigabytes per second: WebAssembly looks for a part of the key, for escapes that may be part of it, and for base64.
 */
export class KeyFilter {
  readonly #needle: Buffer;
  /** Positions of the three rarest characters of the needle. */
  readonly #rarest: readonly number[];

  constructor(readonly traits: KeyTraits) {
    // The bit in which the two cases of a letter differ. Other characters that fall together only match more.
    this.#needle = Buffer.from(traits.run.slice(0, MAX_NEEDLE), "latin1").map((char) => char | 0x20) as Buffer;
    const rarity = (at: number) => BY_FREQUENCY.indexOf(String.fromCharCode(this.#needle[at] as number));
    this.#rarest = [...this.#needle.keys()].sort((a, b) => rarity(b) - rarity(a)).slice(0, 3);
  }

  /**
   * Whether `isIn` is true for a part of the body. Every occurrence of the key lies within a part.
   *
   * @param isIn whether the key is in a text with one character per byte
   */
  some(body: Buffer, isIn: (text: string) => boolean): boolean {
    const { exports, bytes } = this.#instance();
    const { traits } = this;
    const size = exports.maxText();
    for (let from = 0; ; from += size - traits.overlap) {
      const length = Math.min(size, body.length - from);
      const text = exports.textAt();
      body.copy(bytes, text, from, from + length);
      bytes.fill(0, text + length, text + length + MARGIN);
      const count = exports.search(length, traits.shortestRun, traits.keyLength, traits.isAscii ? 0 : 1);
      if (count < 0 ? isIn(body.toString("latin1", from, from + length)) : this.#isInSpans(body, from, count, isIn))
        return true;
      if (from + length === body.length) return false;
    }
  }

  /** Checks the spans that the filter has found in a block. */
  #isInSpans(body: Buffer, block: number, count: number, isIn: (text: string) => boolean): boolean {
    const { exports, bytes } = this.#instance();
    const { reach } = this.traits;
    const isInPart = (from: number, to: number) =>
      isIn(body.toString("latin1", Math.max(0, from), Math.min(body.length, to)));
    // Spans outside base64 are examined together with what surrounds them, overlapping ones at once.
    let [from, to] = [0, -1];
    for (let at = exports.spansAt(), left = count; left > 0; left--, at += 12) {
      const begin = block + bytes.readInt32LE(at + 4);
      const end = block + bytes.readInt32LE(at + 8);
      const kind = bytes.readInt32LE(at);
      if (kind !== 0) {
        // An escape may reach beyond the letters.
        if (isInPart(begin, kind === 1 ? end : end + MARGIN)) return true;
      } else if (begin - reach <= to) to = end + reach;
      else {
        if (to > 0 && isInPart(from, to)) return true;
        [from, to] = [begin - reach, end + reach];
      }
    }
    return to > 0 && isInPart(from, to);
  }

  /** The shared instance with the needle of this filter. Searching never yields, so two filters cannot meet in it. */
  #instance(): { exports: FilterExports; bytes: Buffer } {
    shared ??= instantiate();
    const { exports, bytes } = shared;
    if (shared.filter !== this) {
      shared.filter = this;
      this.#needle.copy(bytes, exports.needleAt());
      const [first, second, third] = this.#rarest as [number, number, number];
      exports.setNeedle(this.#needle.length, first, second, third, this.traits.shortestRun);
    }
    return shared;
  }
}

function instantiate() {
  const exports = loadWasm<FilterExports>("keyFilter.wasm");
  return { exports, bytes: Buffer.from(exports.memory.buffer) };
}
