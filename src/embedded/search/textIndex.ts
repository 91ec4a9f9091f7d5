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

/**
 * A text, or the pieces that it consists of. A phrase may span pieces, a word may not. Each distinct text or piece is tokenized
 * once, however many documents share it.
 */
export type IndexedText = string | readonly string[];

/** Separates the texts of a document, so that no phrase spans two texts. */
const SEPARATOR = -1;
const GAP_TOKENS: readonly number[] = [SEPARATOR];
const EMPTY = new Int32Array(0);

/** An inverted index of short texts: finds documents by word or phrase. Documents are numbered in input order; results ascend. */
export class TextIndex {
  readonly #vocabulary = new Vocabulary();
  /** The token ids of all documents; document d begins at #offsets[d]. */
  readonly #tokenIds: Int32Array;
  readonly #offsets: Int32Array;
  /** The ascending posting lists of all tokens; token t owns #postingStarts[t] to #postingEnds[t]. */
  readonly #postings: Int32Array;
  readonly #postingStarts: Int32Array;
  readonly #postingEnds: Int32Array;

  /** @param documents the texts of each document */
  constructor(documents: readonly (readonly IndexedText[])[]) {
    this.#offsets = new Int32Array(documents.length + 1);
    this.#tokenIds = this.#tokenize(documents);
    this.#postingStarts = this.#countPostings();
    this.#postingEnds = this.#postingStarts.slice();
    this.#postings = this.#fillPostings();
  }

  /** Documents that contain every phrase; none for an empty list. */
  all(phrases: readonly Phrase[]): Int32Array {
    const [first, ...others] = phrases;
    if (!first) return EMPTY;
    return others.reduce((found, phrase) => intersect(found, this.phrase(phrase)), this.phrase(first));
  }

  /** Documents that contain the tokens next to each other. */
  phrase(phrase: Phrase): Int32Array {
    const ids: number[] = [];
    for (const token of phrase) {
      const id = this.#vocabulary.idOf(token);
      if (id === undefined) return EMPTY;
      ids.push(id);
    }
    const lists = ids.map((id) => this.#documents(id)).sort((a, b) => a.length - b.length);
    const [shortest, ...others] = lists;
    if (!shortest) return EMPTY;
    const candidates = others.reduce(intersect, shortest);
    return ids.length === 1 ? candidates : candidates.filter((document) => this.#contains(document, ids));
  }

  /** The tokens that satisfy a predicate, for wildcards. */
  tokensWhere(accepts: (token: string) => boolean): string[] {
    return this.#vocabulary.tokens.filter(accepts);
  }

  #tokenize(documents: readonly (readonly IndexedText[])[]): Int32Array {
    const all = new Int32List();
    const known = new Map<string, readonly number[]>();
    const add = (piece: string) => {
      let ids = known.get(piece);
      if (ids === undefined) {
        ids = tokens(piece).map((token) => this.#vocabulary.addToken(token));
        known.set(piece, ids);
      }
      all.push(ids);
    };
    documents.forEach((texts, document) => {
      for (const text of texts) {
        if (typeof text === "string") add(text);
        else text.forEach(add);
        all.push(GAP_TOKENS);
      }
      this.#offsets[document + 1] = all.length;
    });
    return all.toArray();
  }

  /** The start of each posting list, sized by the number of occurrences of the token. */
  #countPostings(): Int32Array {
    const words = this.#tokenIds;
    const begins = new Int32Array(this.#vocabulary.tokens.length + 1);
    for (let at = 0; at < words.length; at++) {
      const next = (words[at] ?? SEPARATOR) + 1;
      if (next > 0) begins[next] = (begins[next] ?? 0) + 1;
    }
    for (let token = 1; token < begins.length; token++) begins[token] = (begins[token] ?? 0) + (begins[token - 1] ?? 0);
    return begins;
  }

  /** Adds each document once to the posting list of each of its tokens. */
  #fillPostings(): Int32Array {
    const words = this.#tokenIds;
    const ends = this.#postingEnds;
    const postings = new Int32Array(words.length);
    const lastIn = new Int32Array(ends.length).fill(-1);
    for (let document = 0; document + 1 < this.#offsets.length; document++) {
      const end = this.#offsets[document + 1] ?? 0;
      for (let at = this.#offsets[document] ?? 0; at < end; at++) {
        const token = words[at] ?? SEPARATOR;
        if (token === SEPARATOR || lastIn[token] === document) continue;
        lastIn[token] = document;
        const place = ends[token] ?? 0;
        postings[place] = document;
        ends[token] = place + 1;
      }
    }
    return postings;
  }

  #documents(token: number): Int32Array {
    return this.#postings.subarray(this.#postingStarts[token], this.#postingEnds[token]);
  }

  #contains(document: number, ids: readonly number[]): boolean {
    const last = (this.#offsets[document + 1] ?? 0) - ids.length;
    for (let at = this.#offsets[document] ?? 0; at <= last; at++) {
      let matched = 0;
      while (matched < ids.length && this.#tokenIds[at + matched] === ids[matched]) matched++;
      if (matched === ids.length) return true;
    }
    return false;
  }
}

/** A growable Int32Array. */
class Int32List {
  length = 0;
  #numbers = new Int32Array(1 << 12);

  push(more: readonly number[]): void {
    const end = this.length + more.length;
    if (end > this.#numbers.length) this.#grow(end);
    const numbers = this.#numbers;
    for (let at = 0; at < more.length; at++) numbers[this.length + at] = more[at] ?? 0;
    this.length = end;
  }

  /** A copy without unused capacity. */
  toArray(): Int32Array {
    return this.#numbers.slice(0, this.length);
  }

  #grow(needed: number): void {
    const numbers = new Int32Array(Math.max(needed, this.#numbers.length * 2));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

/** The intersection of two ascending lists. */
function intersect(a: Int32Array, b: Int32Array): Int32Array {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const common = new Int32Array(short.length);
  let count = 0;
  let at = 0;
  for (let index = 0; index < short.length; index++) {
    const value = short[index] ?? 0;
    while (at < long.length && (long[at] ?? 0) < value) at++;
    if (long[at] === value) common[count++] = value;
  }
  return common.subarray(0, count);
}

/** Numbers tokens in order of first occurrence. */
export class Vocabulary {
  readonly tokens: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The id of a token, or undefined if no text contains it. */
  idOf(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  /** The id of a token; assigns one to a new token. */
  addToken(token: string): number {
    const known = this.#numbers.get(token);
    if (known !== undefined) return known;
    const number = this.tokens.push(token) - 1;
    this.#numbers.set(token, number);
    return number;
  }
}
