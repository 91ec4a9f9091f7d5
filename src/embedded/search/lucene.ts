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
    let [must, mustNot, should]: (Mask | undefined)[] = [];
    /** Operands joined by AND so far, and the signs of the first if it is alone. */
    let run: Mask | undefined;
    let alone: { mask: Mask; isRequired: boolean; isExcluded: boolean } | undefined;
    const flush = () => {
      if (alone?.isExcluded) mustNot = mustNot ? or(mustNot, alone.mask) : alone.mask;
      else if (alone?.isRequired) must = must ? and(must, alone.mask) : alone.mask;
      else if (run !== undefined) should = should ? or(should, run) : run;
    };
    for (let isFirst = true; isFirst || (at < query.length && query[at] !== ")"); isFirst = false) {
      const join = isFirst ? undefined : read(JOIN)?.[1];
      const isNegated = read(NOT) !== null;
      if (read(JOIN) ?? read(NOT)) throw syntax("an operator needs an operand before it");
      read(SPACE);
      const { sign, mask } = operand(field);
      const isNot = isNegated !== (sign === "-" || sign === "!");
      const signed = isNot ? not(mask) : mask;
      read(SPACE);
      if (join === "AND" || join === "&&") {
        run = and(run as Mask, signed);
        alone = undefined;
      } else {
        flush();
        run = signed;
        alone = { mask, isRequired: sign === "+" && !isNot, isExcluded: isNot && join === undefined };
      }
    }
    flush();
    const found = must ?? should ?? every();
    return mustNot ? and(found, not(mustNot)) : found;
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

const ANY_RUN = 0;
const ANY_ONE = 1;
/** Characters and wildcards. */
type Glob = ReadonlyArray<string | typeof ANY_RUN | typeof ANY_ONE>;

/** The pattern of a term with an unescaped wildcard, otherwise undefined. */
function globOf(value: string): Glob | undefined {
  const glob = (value.match(/\\?./gsu) ?? []).flatMap(
    (piece): Glob => (piece === "*" ? [ANY_RUN] : piece === "?" ? [ANY_ONE] : [...fold(unescaped(piece))]),
  );
  return glob.includes(ANY_RUN) || glob.includes(ANY_ONE) ? glob : undefined;
}

/** Whether a token matches a pattern, in time proportional to pattern length times token length: no query hangs the archive. */
function matches(glob: Glob, token: string): boolean {
  const characters = [...token];
  let [at, part, star, starStart] = [0, 0, -1, 0];
  while (at < characters.length) {
    if (glob[part] === ANY_RUN) {
      star = part++;
      starStart = at;
    } else if (glob[part] === ANY_ONE || glob[part] === characters[at]) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++starStart;
    } else return false;
  }
  while (glob[part] === ANY_RUN) part++;
  return part === glob.length;
}
