import type { Legislator, MemberChamber } from "./legislator.js";

/** A name in words, lower case, without accents, forms of address and suffix. */
interface NameWords {
  readonly words: readonly string[];
  /** "jr", "sr", "ii" and so on; undefined without one. */
  readonly suffix: string | undefined;
}

const SUFFIXES = new Set(["jr", "sr", "ii", "iii", "iv"]);
const DEGREES = new Set(["md", "phd", "esq", "dds", "ret"]);
const FORMS_OF_ADDRESS = new Set(
  (
    "senator sen representative rep congressman congresswoman delegate mr mrs ms miss dr hon honorable the speaker " +
    "leader gov governor"
  ).split(" "),
);
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

/**
 * Normalizes a name for comparison: accents, punctuation, case, initials in sequence ("J. D." is "JD"), "Jr." and degrees.
 *
 * @example
 * nameWords("Sen. José P. O'Neill-Díaz, Jr."); //=> { words: ["jose", "p", "oneill", "diaz"], suffix: "jr" }
 */
export function nameWords(name: string): NameWords {
  const normalized = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[øłđßæœı]/g, (letter) => LETTERS[letter] as string)
    .replace(/[.'’‘`]/g, (mark) => (mark === "." ? " " : ""));
  // Single letters in sequence are one word: "J.D. Vance", "J. D. Vance" and "JD Vance" are equal.
  const joined = normalized
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/(?<![^ ])[^ ](?: [^ ](?![^ ]))+/gu, (run) => run.replaceAll(" ", ""));
  const words = joined.split(" ").filter(Boolean);
  while (words.length > 1 && FORMS_OF_ADDRESS.has(words[0] as string)) words.shift();
  let suffix: string | undefined;
  while (words.length > 2) {
    const last = words.at(-1) as string;
    if (SUFFIXES.has(last)) suffix ??= last;
    else if (!DEGREES.has(last)) break;
    words.pop();
  }
  return { words, suffix };
}

/** The `person` of a mention: a name, sometimes followed by titles. */
interface PersonName extends NameWords {
  /** The titles after the name, joined by commas; empty without any. */
  readonly titles: string;
}

/** Words of roles, not of names. */
const ROLE_WORDS = new Set(
  (
    "unidentified unknown speaker caller viewer presiding officer pro tempore tem acting president clerk reading legislative " +
    "bill chair chairman chairwoman moderator host member members senator representative woman man of the house senate"
  ).split(" "),
);

/** Longer texts are not names, and take long to compare. */
const MAX_NAME_LENGTH = 200;

/**
 * Splits the `person` of a mention. A name that consists of words such as "Presiding Officer" is nobody's.
 *
 * @example
 * personName("Jane Doe,Jr.,U.S. Senator"); //=> { words: ["jane", "doe"], suffix: "jr", titles: "U.S. Senator" }
 */
export function personName(person: string): PersonName {
  const [name = "", ...parts] = person.split(",").map((part) => part.trim());
  const suffixes: string[] = [];
  while (/^(?:jr|sr|ii|iii|iv|m\.?d|ph\.?d|esq)\.?$/i.test(parts[0] ?? "")) suffixes.push(parts.shift() as string);
  const { words, suffix } = nameWords(name.length > MAX_NAME_LENGTH ? "" : [name, ...suffixes].join(" "));
  const isRole = words.every((word) => ROLE_WORDS.has(word));
  return { words: isRole ? [] : words, suffix, titles: parts.filter(Boolean).join(", ") };
}

const SENATE = /(?<!\bstate )\bsenator\b|\bu\.?s\.? senate\b/i;
const HOUSE =
  /(?<!\bstate )\b(?:representative|congress(?:wo)?man|delegate|resident commissioner)\b|\bu\.?s\.? house\b|\bspeaker of the house\b/i;
const NO_MEMBER = /\bclerk\b|\bstaff\b|\baide\b/i;

/**
 * The chambers of Congress that titles name. Titles list everything that somebody has been, so there may be both.
 *
 * @returns empty for titles of others; undefined without titles
 * @example
 * titleChambers("U.S. Representative, U.S. Senator"); //=> Set { "senate", "house" }
 * titleChambers("State Senator"); //=> Set {}
 */
export function titleChambers(titles: string): ReadonlySet<MemberChamber> | undefined {
  if (titles.trim() === "") return undefined;
  const chambers = new Set<MemberChamber>();
  if (NO_MEMBER.test(titles)) return chambers;
  if (SENATE.test(titles)) chambers.add("senate");
  if (HOUSE.test(titles)) chambers.add("house");
  return chambers;
}

/** Words of family names that many people share. */
const PARTICLES = new Set("van von de del della di da la le st san mc los las".split(" "));

/** The ways in which a member may be named. */
export class MemberNames {
  /** Family names in words: "van drew". */
  readonly families: readonly (readonly string[])[];
  /** What the member is called: first names and nicknames. */
  readonly #callNames = new Set<string>();
  readonly #givenNames = new Set<string>();
  readonly #initials = new Set<string>();
  readonly #hasMiddle: boolean;
  readonly #suffix: string | undefined;

  constructor({ names }: Legislator) {
    const families = names.family.map((family) => nameWords(family).words).filter((words) => words.length > 0);
    this.families = families;
    this.#suffix = names.suffix === null ? undefined : nameWords(`first last ${names.suffix}`).suffix;
    this.#hasMiddle = names.middle !== null;
    for (const name of [names.first, names.nickname]) this.#addGiven(nameWords(name ?? "").words);
    for (const other of names.others) {
      // "Mark Meadows, North Carolina"
      const { words } = nameWords(other.split(",", 1)[0] as string);
      // "Pablo José Hernández" is a member whose family name is "Hernández Rivera".
      if (words.length > 1 && this.#familyOf(words) === undefined) families.push(words.slice(-1));
      this.#addGiven(words.slice(0, words.length - (this.#familyOf(words)?.length ?? 0)));
    }
    const middle = nameWords(names.middle ?? "").words;
    // "J. French Hill" is called by the middle name.
    if (isInitial(nameWords(names.first).words[0])) this.#addGiven(middle);
    for (const word of middle) this.#addWord(word);
  }

  /** Whether a name is that of the member: family name, first name or nickname, and nothing that differs. */
  matches({ words, suffix }: NameWords): boolean {
    const family = this.#familyOf(words);
    if (family === undefined) return false;
    if (suffix !== undefined && this.#suffix !== undefined && suffix !== this.#suffix) return false;
    const givenNames = words.slice(0, words.length - family.length);
    return givenNames.some((word) => this.#callNames.has(word)) && givenNames.every((word) => this.#isGiven(word));
  }

  /**
   * Whether a name may be that of the member: the family name is in it, and a given name begins like one of the member's. A stricter
   * rule would miss nicknames and former names.
   */
  resembles({ words }: NameWords): boolean {
    return this.families.some((family) => {
      const distinctive = family.filter((word) => !PARTICLES.has(word));
      if (!(distinctive.length > 0 ? distinctive : family).some((word) => words.includes(word))) return false;
      const givenNames = words.filter((word) => !family.includes(word));
      return givenNames.length === 0 || givenNames.some((word) => this.#initials.has(word.charAt(0)));
    });
  }

  #isGiven(word: string): boolean {
    if (this.#givenNames.has(word)) return true;
    return isInitial(word) && (this.#initials.has(word) || !this.#hasMiddle);
  }

  #familyOf(words: readonly string[]): readonly string[] | undefined {
    return this.families.find(
      (family) => words.length > family.length && family.every((word, at) => words.at(at - family.length) === word),
    );
  }

  #addGiven(words: readonly string[]): void {
    const callName = words.find((word) => !isInitial(word));
    if (callName !== undefined) this.#callNames.add(callName);
    for (const word of words) this.#addWord(word);
  }

  #addWord(word: string): void {
    this.#givenNames.add(word);
    this.#initials.add(word.charAt(0));
  }
}

function isInitial(word: string | undefined): boolean {
  return word?.length === 1;
}
