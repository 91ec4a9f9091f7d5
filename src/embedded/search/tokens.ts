/**
 * Splits text into search tokens: lower case, without accents, without punctuation. What is said differently stays
 * different: initials keep their inner full stops and a space parts words, so "H.R. 5376", "HR 5376" and "H R 5376"
 * are three things, while "(H.R. 5376)," is the first of them again.
 *
 * @example
 * tokens("H.R. 5376, José's 1,200"); //=> ["h.r", "5376", "jose", "1200"]
 */
export function tokens(text: string): string[] {
  const found: string[] = [];
  const within = searchable(text);
  eachToken(within, (start, end) => found.push(tokenAt(within, start, end)));
  return found;
}

/**
 * Calls `visit` with begin and end of every token of a searchable text, and with a hash of its characters in lower
 * case; tokenAt() makes the token of them.
 */
export function eachToken(text: string, visit: (start: number, end: number, hash: number) => void): void {
  const length = text.length;
  let start = -1;
  let hash = 0;
  /** What the last character was; only letters and digits count. */
  let last = OTHER;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (KINDS[code] ?? OTHER) : kindOf(text, at);
    if (kind !== OTHER) {
      if (start < 0) start = at;
      last = kind;
    } else {
      if (start < 0) continue;
      if (code === SPACE || !joins(code, last, text, at + 1)) {
        visit(start, at, hash);
        start = -1;
        hash = 0;
        continue;
      }
    }
    hash = (Math.imul(hash, 31) + lowerCode(code)) | 0;
  }
  if (start >= 0) visit(start, length, hash);
}

/** The token between two places: lower case, without the possessive and without the commas of numbers. */
export function tokenAt(text: string, start: number, end: number): string {
  const token = text.slice(start, end).toLowerCase();
  if (token.endsWith("'s")) return token.slice(0, -2);
  return token.includes(",") ? token.replaceAll(",", "") : token;
}

/**
 * Lower case without accents, the form in which names and words are compared.
 *
 * @example
 * fold("Zoë Sørensen"); //=> "zoe sorensen"
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.replace(EACH_NOT_ASCII, withoutAccent) : lower;
}

/** A text in which tokens can be looked for: most are ASCII, and need no folded copy for that. */
export function searchable(text: string): string {
  return NOT_ASCII.test(text) ? fold(text) : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "everything that is not ASCII".
const NOT_ASCII = /[^\x00-\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "everything that is not ASCII".
const EACH_NOT_ASCII = /[^\x00-\x7f]/gu;
const MARKS = /\p{M}/gu;
/** What letters without a decomposition become; filled up with all others as they come. */
const FOLDED = new Map(Object.entries({ ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", đ: "d", "’": "'" }));

function withoutAccent(character: string): string {
  let folded = FOLDED.get(character);
  if (folded === undefined) {
    folded = character.normalize("NFD").replace(MARKS, "");
    FOLDED.set(character, folded);
  }
  return folded;
}

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const FULL_STOP = 0x2e;
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z]/i.test(character) ? LETTER : /[0-9]/.test(character) ? DIGIT : OTHER;
});

/** What the UTF-16 unit at a position is; letters outside the basic plane count as letters. */
function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return KINDS[code] ?? OTHER;
  const low = code >= 0xdc00 && code <= 0xdfff && at > 0;
  const character = String.fromCodePoint(text.codePointAt(low ? at - 1 : at) ?? 0);
  return /[\p{L}\p{N}]/u.test(character) ? LETTER : OTHER;
}

/** Full stop and apostrophe join letters, full stop and comma join digits, where more of them follow at `next`. */
function joins(code: number, before: number, text: string, next: number): boolean {
  if (code !== FULL_STOP && code !== APOSTROPHE && code !== COMMA) return false;
  if (next >= text.length || kindOf(text, next) !== before) return false;
  return code === FULL_STOP || before === (code === APOSTROPHE ? LETTER : DIGIT);
}

/** The code of a letter in lower case; other codes are left alone. */
export function lowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
