/**
 * Splits text into search tokens: lower case, no accents, no punctuation. Spelling variants stay distinct: initials keep their
 * inner periods and spaces separate words, so "H.R. 5376", "HR 5376" and "H R 5376" differ, while "(H.R. 5376)," equals the
 * first.
 *
 * @example
 * tokens("H.R. 5376, José's 1,200"); //=> ["h.r", "5376", "jose", "1200"]
 */
export function tokens(text: string): string[] {
  const found: string[] = [];
  const folded = fold(text);
  eachToken(folded, (start, end) => found.push(tokenAt(folded, start, end)));
  return found;
}

/** Calls `visit` with the start and end of every token of a folded text. */
function eachToken(folded: string, visit: (start: number, end: number) => void): void {
  const length = folded.length;
  let at = 0;
  let kind = length > 0 ? kindAt(folded, 0) : OTHER;
  while (at < length) {
    if (kind === OTHER) {
      kind = ++at < length ? kindAt(folded, at) : OTHER;
      continue;
    }
    const start = at;
    for (;;) {
      const last = kind;
      kind = ++at < length ? kindAt(folded, at) : OTHER;
      if (kind !== OTHER) continue;
      if (at + 1 >= length) break;
      const code = folded.charCodeAt(at);
      if (code === SPACE) break;
      const next = kindAt(folded, at + 1);
      if (!joins(code, last, next)) break;
      kind = next;
      at++;
    }
    visit(start, at);
  }
}

/** The token between two positions of a folded text, without possessive 's and thousands separators. */
function tokenAt(folded: string, start: number, end: number): string {
  const token = folded.slice(start, end);
  if (token.endsWith("'s")) return token.slice(0, -2);
  return token.includes(",") ? token.replaceAll(",", "") : token;
}

/**
 * Lower case without accents: the form in which names and words are compared.
 *
 * @example
 * fold("Zoë Sørensen"); //=> "zoe sorensen"
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.replace(EACH_NOT_ASCII, withoutAccent) : lower;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range means "not ASCII".
const NOT_ASCII = /[^\x00-\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range means "not ASCII".
const EACH_NOT_ASCII = /[^\x00-\x7f]/gu;
const MARKS = /\p{M}/gu;
/** Letters without a Unicode decomposition. Also caches all other characters. */
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
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;

/** The kind of the UTF-16 unit at a position. Letters outside the basic plane count as letters. */
function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return LETTER;
  if (code < 128) return code >= 48 && code <= 57 ? DIGIT : OTHER;
  const low = code >= 0xdc00 && code <= 0xdfff && at > 0;
  const character = String.fromCodePoint(text.codePointAt(low ? at - 1 : at) ?? 0);
  return /[\p{L}\p{N}]/u.test(character) ? LETTER : OTHER;
}

/** Periods and apostrophes join letters; periods and commas join digits. */
function joins(code: number, before: number, after: number): boolean {
  if (code === 0x2e) return before === after;
  if (code === 0x27) return before === LETTER && after === LETTER;
  return code === 0x2c && before === DIGIT && after === DIGIT;
}
