import { tokens } from "./tokens.js";

/** Tokens that must be adjacent. A single word is a phrase of one token. */
export type Phrase = readonly string[];

/**
 * Parses the `query` of a plain search. Text in double quotes is a phrase; every other word is a term of its own. An unbalanced
 * quotation mark is ignored.
 *
 * @example
 * searchTerms('climate "green new deal"'); //=> [["climate"], ["green", "new", "deal"]]
 */
export function searchTerms(query: string): Phrase[] {
  const terms: Phrase[] = [];
  const parts = query.split('"');
  parts.forEach((part, index) => {
    const words = tokens(part);
    const quoted = index % 2 === 1 && index < parts.length - 1;
    if (quoted && words.length > 0) terms.push(words);
    if (!quoted) terms.push(...words.map((word) => [word]));
  });
  return terms;
}
