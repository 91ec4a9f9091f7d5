import { ENTITIES, LEGACY_ENTITIES } from "./entities.js";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;

/** Nested escapes to decode. */
const MAX_CHAIN = 8;

const MAX_DIGITS = 10;
const MAX_NAME = 16;

/** The character of each letter after a backslash. */
const CONTROLS: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9 }).map(([letter, code]) => [letter.charCodeAt(0), code]),
);

/** Whether an escape can begin with this character: `%`, `&`, a backslash, or the first byte of a character in UTF-8. */
export function beginsEscape(char: number): boolean {
  return char === PERCENT || char === AMPERSAND || char === BACKSLASH || isLeadByte(char);
}

/**
 * Decodes the escapes in a text: `\u0041`, `\x41`, `\u{41}`, `%41`, `%u0041`, `&#65;`, `&#x41;`, `&excl;`, and UTF-8
 * read as Latin-1. A decoded character may begin another escape (`%2541`), and unless `shallow` is set any character of an
 * escape may itself be escaped (`%\u0034\u0031`).
 *
 * Read positions from the end of the text to its beginning: the characters of an escape are then already decoded, and each
 * position takes constant time.
 *
 * @example
 * const escapes = new Escapes("%2541");
 * escapes.read(0);
 * escapes.count; //=> 3
 * String.fromCharCode(...escapes.chars.subarray(0, 3)); //=> "%%A"
 */
export class Escapes {
  /** Number of readings of the last position. The first reading is the character itself. */
  count = 0;
  /** For each reading: its character, and the end of its escape. */
  readonly chars: Int32Array = new Int32Array(MAX_CHAIN + 1);
  readonly ends: Int32Array = new Int32Array(MAX_CHAIN + 1);
  /** Shallow only: whether a character inside an escape begins another escape. */
  metEscape = false;
  readonly #text: string;
  /** The fully decoded reading of each position where an escape begins. */
  readonly #lastChars: Int32Array | undefined;
  readonly #lastEnds: Int32Array | undefined;
  /** The result of the last helper: a character and its end. */
  #char = 0;
  #end = 0;

  constructor(text: string, { shallow = false } = {}) {
    this.#text = text;
    if (shallow) return;
    this.#lastChars = new Int32Array(text.length);
    this.#lastEnds = new Int32Array(text.length);
  }

  /** Reads a position where an escape may begin. */
  read(at: number): void {
    let char = this.#text.charCodeAt(at);
    let end = at + 1;
    this.#push(0, char, end);
    while (this.count <= MAX_CHAIN && beginsEscape(char) && this.#unescape(char, end)) {
      char = this.#char;
      end = this.#end;
      this.#push(this.count, char, end);
    }
    if (this.#lastChars === undefined || this.#lastEnds === undefined) return;
    this.#lastChars[at] = char;
    this.#lastEnds[at] = end;
  }

  /** The fully decoded character of a position. */
  lastChar(at: number): number {
    if (this.#lastChars !== undefined) return this.#lastChars[at] as number;
    this.read(at);
    return this.chars[this.count - 1] as number;
  }

  /** The end of {@link lastChar} in the text. */
  lastEnd(at: number): number {
    if (this.#lastEnds !== undefined) return this.#lastEnds[at] as number;
    this.read(at);
    return this.ends[this.count - 1] as number;
  }

  #push(index: number, char: number, end: number): void {
    this.chars[index] = char;
    this.ends[index] = end;
    this.count = index + 1;
  }

  /** Reads one character inside an escape. */
  #next(at: number): number {
    this.#char = this.#text.charCodeAt(at);
    this.#end = at + 1;
    if (!beginsEscape(this.#char)) return this.#char;
    if (this.#lastChars === undefined || this.#lastEnds === undefined) {
      this.metEscape = true;
      return this.#char;
    }
    this.#end = this.#lastEnds[at] as number;
    this.#char = this.#lastChars[at] as number;
    return this.#char;
  }

  /** Reads what follows an introducer; false if it is not an escape. */
  #unescape(introducer: number, at: number): boolean {
    if (introducer === PERCENT) return isU(this.#next(at)) ? this.#hex(this.#end, 4) : this.#hex(at, 2);
    if (introducer === AMPERSAND) return this.#entity(at);
    if (introducer !== BACKSLASH) return this.#utf8(introducer, at);
    if (this.#text.charCodeAt(at) !== BACKSLASH) return this.#backslash(at);
    return (this.count > 1 && this.#backslash(at)) || this.#escapedBackslash(at);
  }

  /** A shallow reading skips it: the second backslash is read as well, and says more. */
  #escapedBackslash(at: number): boolean {
    if (this.#lastChars === undefined) return false;
    if (this.count > 1 && this.#next(at) !== BACKSLASH) return true;
    this.#char = BACKSLASH;
    this.#end = at + 1;
    return true;
  }

  #backslash(at: number): boolean {
    const first = this.#next(at);
    const control = CONTROLS.get(first);
    if (control !== undefined) {
      this.#char = control;
      return true;
    }
    if (first === 0x78) return this.#hex(this.#end, 2);
    if (!isU(first)) return false;
    const digits = this.#end;
    if (this.#next(digits) !== 0x7b) return this.#hex(digits, 4);
    if (!this.#digits(this.#end, 16)) return false;
    const code = this.#char;
    const closes = this.#next(this.#end) === 0x7d;
    this.#char = code;
    return closes;
  }

  #entity(at: number): boolean {
    if (this.#next(at) !== HASH) return this.#namedEntity(at);
    const digits = this.#end;
    const isHex = (this.#next(digits) | 0x20) === 0x78;
    if (!this.#digits(isHex ? this.#end : digits, isHex ? 16 : 10)) return false;
    const code = this.#char;
    const end = this.#end;
    if (this.#next(end) !== SEMICOLON) this.#end = end;
    this.#char = code;
    return true;
  }

  #namedEntity(at: number): boolean {
    let name = "";
    let code: number | undefined;
    let end = at;
    for (let from = at; name.length <= MAX_NAME; from = this.#end) {
      const char = this.#next(from);
      if (char === SEMICOLON) {
        const named = ENTITIES.get(name);
        if (named !== undefined) [code, end] = [named, this.#end];
      }
      if (!isLetterOrDigit(char)) break;
      name += String.fromCharCode(char);
      if (LEGACY_ENTITIES.has(name)) [code, end] = [ENTITIES.get(name), this.#end];
    }
    this.#char = code ?? 0;
    this.#end = end;
    return code !== undefined;
  }

  /** A UTF-8 character whose bytes appear as Latin-1 characters. */
  #utf8(lead: number, at: number): boolean {
    const length = lead < 0xe0 ? 1 : 2;
    let code = lead & (length === 1 ? 0x1f : 0x0f);
    let end = at;
    for (let taken = 0; taken < length; taken++) {
      const byte = this.#next(end);
      if (byte < 0x80 || byte > 0xbf) return false;
      code = code * 64 + (byte & 0x3f);
      end = this.#end;
    }
    this.#char = code;
    return true;
  }

  #hex(at: number, length: number): boolean {
    let code = 0;
    let end = at;
    for (let taken = 0; taken < length; taken++) {
      const value = digitValue(this.#next(end));
      if (value >= 16) return false;
      code = code * 16 + value;
      end = this.#end;
    }
    this.#char = code;
    return true;
  }

  /** A number of any length. */
  #digits(at: number, base: number): boolean {
    let code = 0;
    let end = at;
    for (let taken = 0; taken < MAX_DIGITS; taken++) {
      const value = digitValue(this.#next(end));
      if (value >= base) break;
      code = Math.min(code * base + value, 0x10ffff);
      end = this.#end;
    }
    this.#char = code;
    this.#end = end;
    return end > at;
  }
}

function digitValue(char: number): number {
  if (char >= 0x30 && char <= 0x39) return char - 0x30;
  const lower = char | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 99;
}

function isLetterOrDigit(char: number): boolean {
  const lower = char | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (char >= 0x30 && char <= 0x39);
}

function isU(char: number): boolean {
  return (char | 0x20) === 0x75;
}

/** The first byte of a character of Latin-1 in UTF-8, or of the replacement character. */
function isLeadByte(char: number): boolean {
  return char === 0xc2 || char === 0xc3 || char === 0xef;
}
