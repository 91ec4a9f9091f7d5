import type { Legislator } from "../legislator.js";
import { type NameWords, nameWords } from "./nameWords.js";

/** Words of family names that many people share. */
const PARTICLES = new Set([
  "van",
  "von",
  "de",
  "del",
  "della",
  "di",
  "da",
  "la",
  "le",
  "st",
  "san",
  "mc",
  "los",
  "las",
]);

/** The ways in which a member may be named. */
export class MemberNames {
  /** Family names in words: "van drew". */
  readonly families: readonly (readonly string[])[];
  /** What the member is called: first names and nicknames. */
  readonly #callNames = new Set<string>();
  /** All given names. */
  readonly #given = new Set<string>();
  readonly #initials = new Set<string>();
  readonly #hasMiddle: boolean;
  readonly #suffix: string | undefined;

  constructor({ names }: Legislator) {
    this.families = names.family.map((family) => nameWords(family).words).filter((words) => words.length > 0);
    this.#suffix = names.suffix === null ? undefined : nameWords(`first last ${names.suffix}`).suffix;
    this.#hasMiddle = names.middle !== null;
    for (const given of [names.first, names.nickname]) this.#addGiven(nameWords(given ?? "").words);
    for (const other of names.others) {
      const { words } = nameWords(other);
      const family = this.#familyOf(words);
      if (family !== undefined) this.#addGiven(words.slice(0, words.length - family.length));
    }
    const middle = nameWords(names.middle ?? "").words;
    // "J. French Hill" is called by the middle name.
    if (isInitial(nameWords(names.first).words[0])) this.#addGiven(middle);
    for (const word of middle) this.#addWord(word);
  }

  /** Whether a name is that of the member: family name, first name or nickname, and nothing that differs. */
  fits({ words, suffix }: NameWords): boolean {
    const family = this.#familyOf(words);
    if (family === undefined) return false;
    if (suffix !== undefined && this.#suffix !== undefined && suffix !== this.#suffix) return false;
    const given = words.slice(0, words.length - family.length);
    return given.some((word) => this.#callNames.has(word)) && given.every((word) => this.#isGiven(word));
  }

  /**
   * Whether a name may be that of the member: the family name is in it, and a given name begins like one of the member's. Nicknames
   * and former names are too many to demand more.
   */
  resembles({ words }: NameWords): boolean {
    return this.families.some((family) => {
      const telling = family.filter((word) => !PARTICLES.has(word));
      if (!(telling.length > 0 ? telling : family).some((word) => words.includes(word))) return false;
      const given = words.filter((word) => !family.includes(word));
      return given.length === 0 || given.some((word) => this.#initials.has(word.charAt(0)));
    });
  }

  #isGiven(word: string): boolean {
    if (this.#given.has(word)) return true;
    return isInitial(word) && (this.#initials.has(word) || !this.#hasMiddle);
  }

  #familyOf(words: readonly string[]): readonly string[] | undefined {
    return this.families.find(
      (family) => words.length > family.length && family.every((word, at) => words.at(at - family.length) === word),
    );
  }

  #addGiven(words: readonly string[]): void {
    const called = words.find((word) => !isInitial(word));
    if (called !== undefined) this.#callNames.add(called);
    for (const word of words) this.#addWord(word);
  }

  #addWord(word: string): void {
    this.#given.add(word);
    this.#initials.add(word.charAt(0));
  }
}

function isInitial(word: string | undefined): boolean {
  return word?.length === 1;
}
