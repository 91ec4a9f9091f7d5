import { type NameWords, nameWords } from "./nameWords.js";

/** The `person` of a mention: a name, sometimes followed by titles. */
export interface PersonName extends NameWords {
  /** The titles behind the name, joined by commas; empty without any. */
  readonly titles: string;
}

/** Names of parts that somebody plays, not of persons. */
const ROLE_WORDS = new Set(
  (
    "unidentified unknown speaker caller viewer presiding officer pro tempore tem acting president clerk reading legislative " +
    "bill chair chairman chairwoman moderator host member members senator representative woman man of the house senate"
  ).split(" "),
);

/** A longer name is no name, and costs time to compare. */
const MAX_NAME = 200;

/**
 * Splits the `person` of a mention. A name that consists of words such as "Presiding Officer" is nobody's.
 *
 * @example
 * personName("Jane Doe,Jr.,U.S. Senator"); //=> { words: ["jane", "doe"], suffix: "jr", titles: "U.S. Senator" }
 */
export function personName(person: string): PersonName {
  const [name = "", ...rest] = person.split(",").map((part) => part.trim());
  const suffixes: string[] = [];
  while (/^(?:jr|sr|ii|iii|iv|m\.?d|ph\.?d|esq)\.?$/i.test(rest[0] ?? "")) suffixes.push(rest.shift() as string);
  const { words, suffix } = nameWords(name.length > MAX_NAME ? "" : [name, ...suffixes].join(" "));
  const isRole = words.every((word) => ROLE_WORDS.has(word));
  return { words: isRole ? [] : words, suffix, titles: rest.filter(Boolean).join(", ") };
}
