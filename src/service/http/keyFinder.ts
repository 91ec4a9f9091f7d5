import { base64Runs } from "./base64Runs.js";
import { beginsEscape, Escapes } from "./escapes.js";
import { mayEncodeText } from "./mayEncodeText.js";
import { substringFilter } from "./probe.js";

/** A piece of a text: from its first character to the one behind its last. */
export type Span = readonly [from: number, to: number];

/** A shorter key may well be a part of ordinary words. */
export const MIN_DISTINCTIVE_LENGTH = 8;

/** In base64 a shorter key would be found in ordinary words. */
const SHORTEST_IN_BASE64 = 4;

/** A run as short as this is in every page. */
const SHORTEST_RUN = 4;

/** So many characters are matched at once, one bit each; text that begins with as many of a longer key counts as the key. */
const MAX_BITS = 31;

/** How often base64 may lie in base64. */
const BASE64_DEPTH = 2;

/** A text is searched in blocks, which bounds the memory. They overlap by more than a key with all its escapes takes. */
const BLOCK = 2 ** 20;
const OVERLAP_PER_CHARACTER = 512;

const BACKSLASH = 0x5c;
const REPLACEMENT = 0xfffd;

/**
 * Finds a key in a text, however it is written: as it is, in other letter case, with any of its characters escaped in any
 * way that {@link Escapes} knows, in base64 of all that, and in base64 of base64. Takes time linear in the text, whatever
 * stands in it.
 */
export class KeyFinder {
  readonly #key: string;
  /** The codes that may stand for each character of the key. */
  readonly #spellings: ReadonlyArray<ReadonlySet<number>>;
  /** Bits of the characters of the key that a character stands for. */
  readonly #masks = new Int32Array(256);
  /** Bits of the characters beyond ASCII: text that was read in the wrong encoding shows them as U+FFFD. */
  readonly #beyondAscii: number;
  readonly #isAscii: boolean;
  /** The bit of the last character that is matched. */
  readonly #last: number;
  readonly #mayHoldPlain: (text: string) => boolean;

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
    this.#mayHoldPlain = mayContainUnencoded(key);
  }

  /**
   * Whether it stands in the text. Where it does not, that takes next to no time: no character of an escape is looked at
   * unless some escape stands for a letter, a digit, or one of `._~-`.
   */
  occursIn(text: string): boolean {
    if (this.#key === "") return false;
    if (this.#mayHoldPlain(text)) return this.find(text).length > 0;
    const escapes = new Escapes(text, { shallow: true });
    return !this.#inBase64(text, escapes, BASE64_DEPTH).next().done;
  }

  /** Where it stands, in order; no two overlap. */
  find(text: string, base64Depth: number = BASE64_DEPTH): Span[] {
    if (this.#key === "") return [];
    const spans: Span[] = [];
    const overlap = Math.max(2 ** 16, this.#key.length * OVERLAP_PER_CHARACTER);
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
   * The text is read from its end. For each position a number holds with which characters of the key the text may go on
   * there: bit k says that the rest of the key from character k on stands there (the search of Baeza-Yates and Gonnet, on
   * all readings of the text at once).
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
          // A backslash may be there for the character behind it.
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

  /** Where the key ends that begins at `start`; of a part of a longer key, where the part ends. */
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
    if (this.#key.length < SHORTEST_IN_BASE64) return;
    const shortest = Math.ceil((this.#key.length * 4) / 3);
    for (const { letters, positionOf } of base64Runs(text, { shortest, escapes })) {
      // Letters before it that do not belong to it shift the groups of four.
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

/** A very short key is matched exactly: in any letter case it would be found in every second word. */
function spellings(char: string, anyCase: boolean): Set<number> {
  const chars = anyCase ? [char, char.toLowerCase(), char.toUpperCase()] : [char];
  if (char === " ") chars.push("+");
  if (char > "~") chars.push("\ufffd");
  return new Set(chars.filter((one) => one.length === 1).map((one) => one.charCodeAt(0)));
}

/**
 * A cheap test for whether a text may hold the key outside base64, or in base64 with escaped letters; never wrong where it
 * says no. The longest run of letters, digits and `._~-` of the key can be written in two ways only: all of it stands there
 * as it is, or some escape in the text stands for such a character.
 */
function mayContainUnencoded(key: string): (text: string) => boolean {
  const [run = ""] = (key.match(/[a-z0-9._~-]+/gi) ?? []).sort((a, b) => b.length - a.length);
  if (run.length < SHORTEST_RUN || key.length < MIN_DISTINCTIVE_LENGTH) return () => true;
  const mayHoldRun = substringFilter(run);
  return (text) => mayHoldRun(text) || ["%", "&", "\\"].some((introducer) => escapesALetter(text, introducer));
}

function escapesALetter(text: string, introducer: string): boolean {
  const escapes = new Escapes(text, { shallow: true });
  for (let at = text.indexOf(introducer); at >= 0; at = text.indexOf(introducer, at + 1)) {
    escapes.read(at);
    if (escapes.metEscape || isUnreserved(escapes.chars[escapes.count - 1] as number)) return true;
  }
  return false;
}

/** Letters, digits and `._~-`, which no encoder has to escape. */
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
