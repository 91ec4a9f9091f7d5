import { base64Runs } from "./base64Runs.js";
import { beginsEscape, Escapes } from "./escapes.js";
import { KeyFilter } from "./keyFilter.js";
import { mayEncodeText } from "./mayEncodeText.js";
import { substringFilter } from "./substringFilter.js";

/** A range of a text; `to` is exclusive. */
export type Span = readonly [from: number, to: number];

/** Shorter keys may be part of ordinary words. */
export const MIN_DISTINCTIVE_LENGTH = 8;

/** Shorter keys in base64 would match ordinary words. */
const MIN_BASE64_LENGTH = 4;

/** Shorter runs occur on every page. */
const MIN_RUN_LENGTH = 4;

/** Characters matched in parallel, one bit each. Of a longer key, this many leading characters count as the key. */
const MAX_BITS = 31;

/** Levels of base64 within base64. */
const BASE64_DEPTH = 2;

/** Texts are searched in blocks, to bound memory. They overlap by more than a fully escaped key takes. */
const BLOCK = 2 ** 20;
const OVERLAP_PER_CHARACTER = 512;

const BACKSLASH = 0x5c;
const REPLACEMENT = 0xfffd;

/**
 * Finds a key in a text in any encoding: verbatim, in another letter case, with any of its characters escaped in any way
 * that {@link Escapes} knows, in base64 of all that, and in base64 of base64. Takes linear time for every text.
 */
export class KeyFinder {
  readonly #key: string;
  /** For each character of the key, the codes that may represent it. */
  readonly #spellings: ReadonlyArray<ReadonlySet<number>>;
  /** For each character code, the positions in the key that it may represent, as bits. */
  readonly #masks = new Int32Array(256);
  /** The non-ASCII positions of the key, as bits: text decoded with the wrong charset shows U+FFFD there. */
  readonly #beyondAscii: number;
  readonly #isAscii: boolean;
  /** The bit of the last matched character. */
  readonly #last: number;
  readonly #mayContainUnencoded: (text: string) => boolean;
  /** Undefined for a key without anything to search for quickly. */
  readonly #filter: KeyFilter | undefined;
  /** Blocks of a text overlap by this much. */
  readonly #overlap: number;

  constructor(key: string) {
    this.#key = key;
    this.#spellings = Array.from(key, (char) => spellings(char, key.length >= MIN_DISTINCTIVE_LENGTH));
    const matched = this.#spellings.slice(0, MAX_BITS);
    for (const [at, chars] of matched.entries()) {
      for (const char of chars) if (char < 256) (this.#masks[char] as number) |= 1 << at;
    }
    this.#beyondAscii = matched.reduce((bits, chars, at) => (chars.has(REPLACEMENT) ? bits | (1 << at) : bits), 0);
    this.#isAscii = !this.#spellings.some((chars) => chars.has(REPLACEMENT));
    this.#last = 1 << (matched.length - 1);
    const run = longestRun(key);
    this.#mayContainUnencoded = run === undefined ? () => true : mayContainUnencoded(run);
    const reach = key.length * OVERLAP_PER_CHARACTER;
    this.#overlap = Math.max(2 ** 16, reach);
    if (run !== undefined && this.#overlap <= BLOCK / 2) {
      const traits = { run, keyLength: key.length, shortestRun: this.#shortestRun, isAscii: this.#isAscii };
      this.#filter = new KeyFilter({ ...traits, reach, overlap: this.#overlap });
    }
  }

  /** The shortest run of base64 letters that can contain the key. */
  get #shortestRun(): number {
    return Math.ceil((this.#key.length * 4) / 3);
  }

  /**
   * Whether the text contains the key. Fast for a text that does not: escapes are decoded only if one of them represents a
   * letter, a digit or one of `._~-`.
   */
  occursIn(text: string): boolean {
    // No encoding is shorter than the key: short headers and paths are not read at all.
    if (this.#key === "" || text.length < Math.min(this.#spellings.length, MAX_BITS)) return false;
    if (this.#mayContainUnencoded(text)) return this.find(text).length > 0;
    const escapes = new Escapes(text, { shallow: true });
    return !this.#inBase64(text, escapes, BASE64_DEPTH).next().done;
  }

  /** Whether the bytes contain the key. As {@link occursIn}, and much faster for a large text that does not. */
  occursInBytes(bytes: Buffer): boolean {
    // One character per byte: UTF-8 read as Latin-1 is one of the encodings.
    if (this.#filter === undefined) return this.occursIn(bytes.toString("latin1"));
    return this.#filter.some(bytes, (text) => this.find(text).length > 0);
  }

  /** The occurrences of the key, in order and without overlaps. */
  find(text: string, base64Depth: number = BASE64_DEPTH): Span[] {
    if (this.#key === "") return [];
    const spans: Span[] = [];
    const overlap = this.#overlap;
    for (let from = 0; from < text.length; from += BLOCK) {
      const block = text.length <= BLOCK + overlap ? text : text.slice(from, from + BLOCK + overlap);
      const escapes = new Escapes(block);
      for (const [begin, end] of this.#inBlock(block, escapes)) spans.push([from + begin, from + end]);
      if (base64Depth > 0) {
        for (const [begin, end] of this.#inBase64(block, escapes, base64Depth)) spans.push([from + begin, from + end]);
      }
      if (block === text) break;
    }
    return mergeSpans(spans);
  }

  /**
   * Reads the text from its end. The state of a position has bit k set if the rest of the key, from character k, occurs
   * there (the shift-and search of Baeza-Yates and Gonnet, on all readings of the text at once).
   */
  #inBlock(text: string, escapes: Escapes): Span[] {
    const spans: Array<[number, number]> = [];
    const states = new Int32Array(text.length + 1);
    const length = Math.min(this.#key.length, MAX_BITS);
    let state = 0;
    for (let at = text.length - 1; at >= 0; at--) {
      const char = text.charCodeAt(at);
      if (beginsEscape(char)) {
        escapes.read(at);
        state = 0;
        for (let reading = 0; reading < escapes.count; reading++) {
          const then = states[escapes.ends[reading] as number] as number;
          const meant = escapes.chars[reading] as number;
          state |= ((then >>> 1) | this.#last) & this.#maskOf(meant);
          // The backslash may only escape the next character.
          if (meant === BACKSLASH) state |= then & ~1;
        }
      } else {
        state = ((state >>> 1) | this.#last) & this.#maskOf(char);
      }
      states[at] = state;
      if ((state & 1) === 0) continue;
      const after = spans.at(-1);
      if (after !== undefined && after[0] - at < length) after[0] = at;
      else spans.push([at, this.#endOf(text, at, escapes)]);
    }
    return spans;
  }

  #maskOf(char: number): number {
    if (char < 256) return this.#masks[char] as number;
    return char === REPLACEMENT ? this.#beyondAscii : 0;
  }

  /** The end of the key that begins at `start`, or of the part of it that occurs there. */
  #endOf(text: string, start: number, escapes: Escapes): number {
    let reached = [start];
    for (const [index, chars] of this.#spellings.entries()) {
      const further: number[] = [];
      for (const at of reached) {
        const char = text.charCodeAt(at);
        if (!beginsEscape(char)) {
          if (chars.has(char) && !further.includes(at + 1)) further.push(at + 1);
          continue;
        }
        escapes.read(at);
        for (let reading = 0; reading < escapes.count; reading++) {
          const end = escapes.ends[reading] as number;
          if (chars.has(escapes.chars[reading] as number) && !further.includes(end)) further.push(end);
          if (escapes.chars[reading] === BACKSLASH && index > 0 && !reached.includes(end)) reached.push(end);
        }
      }
      if (further.length === 0) break;
      reached = further;
    }
    return Math.max(...reached);
  }

  *#inBase64(text: string, escapes: Escapes, depth: number): Generator<Span> {
    if (this.#key.length < MIN_BASE64_LENGTH) return;
    for (const { letters, positionOf } of base64Runs(text, { shortest: this.#shortestRun, escapes })) {
      // Unrelated letters before it shift the groups of four.
      for (let shift = 0; shift < 4; shift++) {
        if (!mayEncodeText(letters, shift, this.#key.length, !this.#isAscii)) continue;
        const bytes = Buffer.from(letters.slice(shift), "base64").toString("latin1");
        for (const [from, to] of this.find(bytes, depth - 1)) {
          const behind = Math.min(letters.length, shift + Math.ceil((to * 4) / 3));
          let end = positionOf(behind);
          while (text[end] === "=") end++;
          yield [positionOf(shift + Math.floor((from * 4) / 3)), end];
        }
      }
    }
  }
}

/** A very short key must match in case: otherwise it would match ordinary words. */
function spellings(char: string, anyCase: boolean): Set<number> {
  const chars = anyCase ? [char, char.toLowerCase(), char.toUpperCase()] : [char];
  if (char === " ") chars.push("+");
  if (char > "~") chars.push("\ufffd");
  return new Set(chars.filter((one) => one.length === 1).map((one) => one.charCodeAt(0)));
}

/** The longest run of characters that no encoder has to escape; undefined if it is too short to search for. */
function longestRun(key: string): string | undefined {
  const [run = ""] = (key.match(/[a-z0-9._~-]+/gi) ?? []).sort((a, b) => b.length - a.length);
  return run.length < MIN_RUN_LENGTH || key.length < MIN_DISTINCTIVE_LENGTH ? undefined : run;
}

/**
 * Creates a fast test for whether a text may contain the key outside base64, or in base64 with escaped letters. `false` is
 * certain. A run of letters, digits and `._~-` can occur in two ways only: verbatim, or with an escape that represents such a
 * character.
 */
function mayContainUnencoded(run: string): (text: string) => boolean {
  const mayContainRun = substringFilter(run);
  return (text) => mayContainRun(text) || ["%", "&", "\\"].some((introducer) => escapesALetter(text, introducer));
}

function escapesALetter(text: string, introducer: string): boolean {
  let at = text.indexOf(introducer);
  if (at < 0) return false;
  const escapes = new Escapes(text, { shallow: true });
  for (; at >= 0; at = text.indexOf(introducer, at + 1)) {
    escapes.read(at);
    if (escapes.metEscape || isUnreserved(escapes.chars[escapes.count - 1] as number)) return true;
  }
  return false;
}

/** Letters, digits and `._~-`: no encoder has to escape them. */
function isUnreserved(char: number): boolean {
  const lower = char | 0x20;
  if ((lower >= 0x61 && lower <= 0x7a) || (char >= 0x30 && char <= 0x39)) return true;
  return char === 0x2d || char === 0x2e || char === 0x5f || char === 0x7e;
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const all: Array<[number, number]> = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}
