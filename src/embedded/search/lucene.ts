/** An invalid or unsupported Lucene query, or a range, on which the live service fails too. */
export class LuceneError extends Error {
  override readonly name = "LuceneError";

  constructor(
    message: string,
    readonly isRange: boolean = false,
  ) {
    super(message);
  }
}

/** Whether a document matches. */
export type Matcher<T> = (document: T) => boolean;

const MAX_LENGTH = 4000;
/** Each level takes a part of the stack. */
const MAX_DEPTH = 100;

const AND = /\s*AND(?![^\s()"])/y;
const OR = /\s*OR(?![^\s()"])/y;
const NOT = /\s*NOT(?![^\s()"])/y;
const SPACE = /\s*/y;
/** The live service fails on a lower-case "to" as well. */
const RANGE = /[+\-!]?(?:[^\s:()[\]{}]+:)?[[{](?:(?!\sTO\s)[^[\]{}])*\sTO\s[^[\]{}]*[\]}]/iy;
const FIELD = /[^\s:()"]+:/y;
const OPEN = /\(/y;
const CLOSE = /\)/y;
const PHRASE = /"[^"]*"/y;
const CHUNK = /[^\s:()"]+/y;

/** Other syntax of Lucene, which is refused: it would find something else than what was meant. */
const UNSUPPORTED: ReadonlyArray<readonly [syntax: RegExp, name: string]> = [
  [/\\/, "escapes (\\)"],
  [/[*?]/, "wildcards (* and ?)"],
  [/~/, "fuzzy and proximity searches (~)"],
  [/\^/, "boosts (^)"],
  [/\//, "regular expressions (/)"],
  [/[[\]{}]/, "brackets"],
  [/^[+\-!]/, "the signs +, - and !"],
  [/&&|\|\|/, "the operators && and ||"],
];

const SUPPORTED = "fields, words, phrases, AND, OR, NOT and parentheses";

/**
 * Reads a Lucene query: fields, words, phrases, AND, OR, NOT and parentheses. AND binds tighter than OR and juxtaposition, which means
 * OR; what follows NOT without one of the two is excluded.
 *
 * @param fields the names that are valid before a colon
 * @param termOf a matcher of a word or phrase in a field, or without a field
 * @throws LuceneError if the query is invalid, names an unknown field, or contains a range or other syntax of Lucene
 */
export function luceneMatcher<T>(
  query: string,
  fields: readonly string[],
  termOf: (text: string, field: string | undefined) => Matcher<T>,
): Matcher<T> {
  if (query.length > MAX_LENGTH) throw syntax(`it has more than ${MAX_LENGTH} characters`);
  let at = 0;
  let depth = 0;
  const read = (pattern: RegExp, how?: "ahead"): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(query)?.[0];
    if (text !== undefined && how !== "ahead") at = pattern.lastIndex;
    return text;
  };

  const operand = (outer: string | undefined): Matcher<T> => {
    if (read(RANGE)) throw new LuceneError("Internal server error", true);
    refuseUnsupported(read(CHUNK, "ahead"));
    const name = read(FIELD)?.slice(0, -1);
    if (name !== undefined && !fields.includes(name)) {
      throw new LuceneError(`the query names an unknown field; the fields are ${fields.join(", ")}`);
    }
    const field = name ?? outer;
    if (read(OPEN) !== undefined) {
      if (++depth > MAX_DEPTH) throw syntax(`groups are nested more than ${MAX_DEPTH} deep`);
      const matches = group(field);
      depth--;
      if (read(CLOSE) === undefined) throw syntax("unbalanced opening parenthesis");
      refuseUnsupported(read(CHUNK, "ahead"));
      return matches;
    }
    refuseUnsupported(read(CHUNK, "ahead"));
    const text = read(PHRASE) ?? read(CHUNK);
    if (!text) throw syntax(at === query.length ? "the query is incomplete" : `character ${at + 1} is unexpected`);
    // A distance or a boost may follow a phrase.
    refuseUnsupported(read(CHUNK, "ahead"));
    return termOf(text, field);
  };

  const negation = (field: string | undefined): { isNot: boolean; matches: Matcher<T> } => {
    const isNot = read(NOT) !== undefined;
    if ((read(AND) ?? read(OR) ?? read(NOT)) !== undefined) throw syntax("an operator needs an operand before it");
    read(SPACE);
    const matches = operand(field);
    read(SPACE);
    return { isNot, matches };
  };

  /** Operands joined by AND are one. */
  const conjunction = (field: string | undefined): { isNot: boolean; matches: Matcher<T> } => {
    const parts = [negation(field)];
    while (read(AND) !== undefined) parts.push(negation(field));
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first;
    return { isNot: false, matches: (document) => parts.every(({ isNot, matches }) => matches(document) !== isNot) };
  };

  /** The operands up to the end of the query or a closing parenthesis. */
  const group = (field: string | undefined): Matcher<T> => {
    const any: Matcher<T>[] = [];
    const none: Matcher<T>[] = [];
    do {
      const isAlternative = (any.length > 0 || none.length > 0) && read(OR) !== undefined;
      const { isNot, matches } = conjunction(field);
      if (!isNot) any.push(matches);
      else if (isAlternative) any.push((document) => !matches(document));
      else none.push(matches);
    } while (at < query.length && query[at] !== ")");
    return (document) =>
      (any.length === 0 || any.some((matches) => matches(document))) && !none.some((matches) => matches(document));
  };

  const matches = group(undefined);
  if (at < query.length) throw syntax("unbalanced closing parenthesis");
  return matches;
}

function refuseUnsupported(chunk: string | undefined): void {
  const name = UNSUPPORTED.find(([pattern]) => pattern.test(chunk ?? ""))?.[1];
  if (name !== undefined)
    throw new LuceneError(`this archive does not support ${name} in queries; it has ${SUPPORTED}`);
}

function syntax(what: string): LuceneError {
  return new LuceneError(`the query is not valid Lucene: ${what}`);
}
