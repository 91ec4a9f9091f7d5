import { badRequest, HttpError } from "./server/request.js";

/** Whether a document matches. */
export type Matcher<T> = (document: T) => boolean;

/** Each parenthesis takes a part of the stack. */
const MAX_LENGTH = 1000;

const PHRASE = /"[^"]*"/g;
const TOKEN =
  /\s*(?:(?<operator>(?:AND|OR|NOT)(?![^\s()"])|[()])|(?<field>[^\s:()"]+):|(?<term>"[^"]*"|[^\s:()"]+))\s*/y;
/** The live service fails on a lower-case "to" as well. */
const BRACKETS = /[[{][^[\]{}]*[\]}]/g;
const TO = /\sTO\s/i;
/** Other syntax of Lucene, which is refused: it would find something else than what was meant. */
const UNSUPPORTED = /[\\*?~^/[\]{}]|(?:^|[\s:(])[+\-!]|&&|\|\|/;
const SUPPORTED =
  "this archive supports fields, words, phrases, AND, OR, NOT and parentheses in queries, but no wildcards, distances, boosts, signs, escapes, brackets or regular expressions";

/**
 * Reads a Lucene query: fields, words, phrases, AND, OR, NOT and parentheses. AND binds tighter than OR and juxtaposition, which means
 * OR; what follows NOT is excluded, unless AND joins it to something.
 *
 * @param fields the names that are valid before a colon
 * @param termOf a matcher of a word or phrase in a field, or without a field
 * @throws HttpError 400 if the query is invalid, names an unknown field, or contains other syntax of Lucene; 500 for a range, as the
 *   live service
 */
export function luceneMatcher<T>(
  query: string,
  fields: readonly string[],
  termOf: (text: string, field: string | undefined) => Matcher<T>,
): Matcher<T> {
  const tokens = tokensOf(query);
  let at = 0;
  const take = (kind: keyof Token, text = tokens[at]?.[kind]): string | undefined => {
    if (text === undefined || tokens[at]?.[kind] !== text) return undefined;
    at++;
    return text;
  };

  const operand = (outer: string | undefined): Matcher<T> => {
    const name = take("field");
    if (name !== undefined && !fields.includes(name))
      throw badRequest(`the query names an unknown field; the fields are ${fields.join(", ")}`);
    const field = name ?? outer;
    const term = take("term");
    if (term !== undefined) return termOf(term, field);
    if (!take("operator", "(")) throw syntaxError("an operand is missing");
    const matches = group(field);
    if (!take("operator", ")")) throw syntaxError("unbalanced opening parenthesis");
    return matches;
  };

  /** The operands up to the end of the query or a closing parenthesis. */
  const group = (field: string | undefined): Matcher<T> => {
    const any: Matcher<T>[] = [];
    const none: Matcher<T>[] = [];
    do {
      if (any.length + none.length > 0) take("operator", "OR");
      const all: { isNegated: boolean; matches: Matcher<T> }[] = [];
      do all.push({ isNegated: take("operator", "NOT") !== undefined, matches: operand(field) });
      while (take("operator", "AND"));
      if (all.length === 1 && all[0]?.isNegated) none.push(all[0].matches);
      else any.push((document) => all.every(({ isNegated, matches }) => matches(document) !== isNegated));
    } while (at < tokens.length && tokens[at]?.operator !== ")");
    return (document) =>
      (any.length === 0 || any.some((matches) => matches(document))) && !none.some((matches) => matches(document));
  };

  const matches = group(undefined);
  if (at < tokens.length) throw syntaxError("unbalanced closing parenthesis");
  return matches;
}

type Token = Readonly<Partial<Record<"operator" | "field" | "term", string>>>;

function tokensOf(query: string): Token[] {
  if (query.length > MAX_LENGTH) throw syntaxError(`it has more than ${MAX_LENGTH} characters`);
  const withoutPhrases = query.replace(PHRASE, '""');
  if (withoutPhrases.match(BRACKETS)?.some((content) => TO.test(content)))
    throw new HttpError(500, "Internal server error");
  if (UNSUPPORTED.test(withoutPhrases)) throw badRequest(SUPPORTED);
  const tokens: Token[] = [];
  for (let end = 0; end < query.length; end = TOKEN.lastIndex) {
    TOKEN.lastIndex = end;
    const token = TOKEN.exec(query)?.groups;
    if (token === undefined) throw syntaxError(`character ${end + 1} is unexpected`);
    tokens.push(token);
  }
  return tokens;
}

function syntaxError(problem: string): HttpError {
  return badRequest(`the query is not valid Lucene: ${problem}`);
}

/** Between the values of a text, so that no phrase spans two of them. No word looks like it. */
const GAP = " | ";

/** Texts in the form in which phrases are looked for: their words with spaces around each. */
export function searchable(values: readonly string[]): string {
  return ` ${values.map((value) => words(value).join(" ")).join(GAP)} `;
}

/** Whether a searchable text has the words next to each other; none are in no text. */
export function hasPhrase(text: string, phrase: readonly string[]): boolean {
  return phrase.length > 0 && text.includes(` ${phrase.join(" ")} `);
}

/**
 * The phrases of a plain search: text in double quotes, and every other word. An unbalanced quotation mark is ignored.
 *
 * @example
 * phrasesOf('climate "green new deal"'); //=> [["climate"], ["green", "new", "deal"]]
 */
export function phrasesOf(query: string): string[][] {
  const parts = query.split('"');
  return parts.flatMap((part, at) => {
    const all = words(part);
    const isQuoted = at % 2 === 1 && at < parts.length - 1;
    return isQuoted && all.length > 0 ? [all] : all.map((word) => [word]);
  });
}

/** Periods and apostrophes join letters; periods and commas join digits. */
const WORD = /[\p{L}\p{N}]+(?:(?:(?<=[0-9])[.,](?=[0-9])|(?<=[^0-9])[.'](?=(?![0-9])[\p{L}\p{N}]))[\p{L}\p{N}]+)*/gu;

/**
 * The words of a text: lower case, no accents, no punctuation. Spelling variants stay distinct: initials keep their inner periods and
 * spaces separate words, so "H.R. 5376", "HR 5376" and "H R 5376" differ, while "(H.R. 5376)," equals the first. Possessive 's and
 * thousands separators are left out.
 *
 * @example
 * words("H.R. 5376, José's 1,200"); //=> ["h.r", "5376", "jose", "1200"]
 */
export function words(text: string): string[] {
  const all = fold(text).match(WORD) ?? [];
  return all.map((word) => (word.endsWith("'s") ? word.slice(0, -2) : word.replaceAll(",", "")));
}

/**
 * Lower case without accents: the form in which names and words are compared.
 *
 * @example
 * fold("Zoë O’Brien"); //=> "zoe o'brien"
 */
export function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("’", "'");
}
