import { fold, type TextIndex } from "./textIndex.js";

/** An invalid Lucene query, or a range, on which the live service fails too. */
export class LuceneError extends Error {
  override readonly name = "LuceneError";

  constructor(
    message: string,
    readonly isRange: boolean = false,
  ) {
    super(message);
  }
}

/** What a query is evaluated on. */
export interface Searchable {
  readonly size: number;
  /** The names of the fields. They are lower case. */
  readonly fields: readonly string[];
  /** The indexes of a field, or those that terms without a field search. */
  readonly indexes: (field?: string) => readonly TextIndex[];
}

/** One byte per document: 1 if it matches, otherwise 0. */
type Mask = Uint8Array;

const MAX_LENGTH = 4000;
/** Each level takes a part of the stack. */
const MAX_DEPTH = 100;

const JOIN = /\s*(AND|&&|OR|\|\|)(?![^\s()"])/y;
const NOT = /\s*NOT(?![^\s()"])/y;
const SPACE = /\s*/y;
/** A sign, a field, a sign; then a group, a phrase or a word; then a boost, which has no effect. */
const OPERAND =
  /([+\-!]?)(?:((?:\\.|[^\s:(){}[\]"/^~\\])+):)?([+\-!]?)(?:(\()|"((?:\\.|[^"\\])*)"|(?![+\-!])((?:\\.|[^\s:(){}[\]"/^~\\])+))(?:\^\d+(?:\.\d+)?)?/sy;
/** The live service fails on a lower-case "to" as well. */
const RANGE = /[+\-!]?(?:[^\s:()[\]{}]+:)?[[{](?:(?!\sTO\s)[^[\]{}])*\sTO\s[^[\]{}]*[\]}]/iy;

/**
 * The documents that match a Lucene query. AND binds tighter than OR and juxtaposition. Of juxtaposed operands, all with "+" must
 * match, none with "-" may match, and without a "+" at least one must match.
 *
 * @throws LuceneError if the query is invalid, names an unknown field or contains a range
 */
export function evaluateLucene(query: string, { size, fields, indexes }: Searchable): Mask {
  if (query.length > MAX_LENGTH) throw syntax(`it has more than ${MAX_LENGTH} characters`);
  let at = 0;
  let depth = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    at = match === null ? at : pattern.lastIndex;
    return match;
  };

  const every = (): Mask => new Uint8Array(size).fill(1);
  const not = (mask: Mask): Mask => mask.map((bit) => 1 - bit);
  const and = (one: Mask, other: Mask): Mask => one.map((bit, document) => bit & (other[document] as number));
  const or = (one: Mask, other: Mask): Mask => one.map((bit, document) => bit | (other[document] as number));

  const term = (value: string, isQuoted: boolean, field: string | undefined): Mask => {
    const found = new Uint8Array(size);
    const glob = isQuoted ? undefined : globOf(value);
    for (const index of indexes(field)) {
      const documents = glob ? index.where((token) => matches(glob, token)) : index.containing(unescaped(value));
      for (const document of documents) found[document] = 1;
    }
    return found;
  };

  const operand = (outer: string | undefined): { sign: string; mask: Mask } => {
    if (read(RANGE)) throw new LuceneError("Internal server error", true);
    const match = read(OPERAND);
    if (match === null)
      throw syntax(at === query.length ? "the query is incomplete" : `character ${at + 1} is unexpected`);
    const [, before = "", name, after = "", parenthesis, phrase, word = ""] = match;
    const sign = before || after;
    if (name === "*" && word === "*") return { sign, mask: every() };
    if (name !== undefined && !fields.includes(name)) {
      throw new LuceneError(`the query names an unknown field; the fields are ${fields.join(", ")}`);
    }
    const field = name ?? outer;
    if (parenthesis === undefined) return { sign, mask: term(phrase ?? word, phrase !== undefined, field) };
    if (++depth > MAX_DEPTH) throw syntax(`groups are nested more than ${MAX_DEPTH} deep`);
    const mask = group(field);
    depth--;
    if (query[at] !== ")") throw syntax("unbalanced opening parenthesis");
    at++;
    return { sign, mask };
  };

  /** The operands up to the end of the query or a closing parenthesis. */
  const group = (field: string | undefined): Mask => {
    /** "+" must match, "-" may not, "" should; operands joined by AND are one. */
    const clauses: { sign: string; mask: Mask }[] = [];
    const masks = (sign: string) => clauses.filter((clause) => clause.sign === sign).map(({ mask }) => mask);
    for (let isFirst = true; isFirst || (at < query.length && query[at] !== ")"); isFirst = false) {
      const join = isFirst ? undefined : read(JOIN)?.[1];
      const isNegated = read(NOT) !== null;
      if (read(JOIN) ?? read(NOT)) throw syntax("an operator needs an operand before it");
      read(SPACE);
      const { sign, mask } = operand(field);
      const isNot = isNegated !== (sign === "-" || sign === "!");
      read(SPACE);
      if (join === "AND" || join === "&&") {
        const { sign: before, mask: other } = clauses.pop() as (typeof clauses)[number];
        clauses.push({ sign: "", mask: and(before === "-" ? not(other) : other, isNot ? not(mask) : mask) });
      } else if (isNot) clauses.push(join === undefined ? { sign: "-", mask } : { sign: "", mask: not(mask) });
      else clauses.push({ sign: sign === "+" ? "+" : "", mask });
    }
    const [must, should] = [masks("+"), masks("")];
    const found = must.length > 0 ? must.reduce(and) : should.length > 0 ? should.reduce(or) : every();
    return masks("-").reduce((rest, mask) => and(rest, not(mask)), found);
  };

  const found = group(undefined);
  if (at < query.length) throw syntax("unbalanced closing parenthesis");
  return found;
}

function syntax(what: string): LuceneError {
  return new LuceneError(`the query is not valid Lucene: ${what}`);
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, "$1");
}

/** The characters between the asterisks of a term; a question mark is any character. */
type Glob = ReadonlyArray<ReadonlyArray<string | undefined>>;

/** The pattern of a term with an unescaped wildcard, otherwise undefined. */
function globOf(value: string): Glob | undefined {
  const parts: (string | undefined)[][] = [[]];
  for (const piece of value.match(/\\?./gsu) ?? []) {
    if (piece === "*") parts.push([]);
    else parts.at(-1)?.push(...(piece === "?" ? [undefined] : fold(unescaped(piece))));
  }
  return parts.length > 1 || parts[0]?.includes(undefined) ? parts : undefined;
}

/** Whether a token matches a pattern, in time proportional to pattern length times token length: no query hangs the archive. */
function matches([first = [], ...others]: Glob, token: string): boolean {
  const characters = [...token];
  const fits = (part: Glob[number], at: number) =>
    part.every((one, index) => (one === undefined ? at + index < characters.length : one === characters[at + index]));
  const last = others.pop();
  if (last === undefined) return first.length === characters.length && fits(first, 0);
  let at = first.length;
  for (const part of others) {
    while (at + part.length <= characters.length && !fits(part, at)) at++;
    at += part.length;
  }
  const end = characters.length - last.length;
  return fits(first, 0) && at <= end && fits(last, end);
}
