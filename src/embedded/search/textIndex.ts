import type { Phrase } from "./searchTerms.js";
import { tokens } from "./tokens.js";

/**
 * A text, or the pieces that it is put together from: a phrase may reach from one piece into the next, a word may not.
 * Each different text or piece is split into words once, however many documents have it.
 */
export type IndexedText = string | readonly string[];

/** Parts the texts of one document, so that no phrase reaches from one into the next. */
const NO_WORD = -1;
const GAP: readonly number[] = [NO_WORD];
const NOTHING = new Int32Array(0);

/**
 * An index over short texts: which documents hold a word or a phrase. Documents are numbered in the order in which
 * they are given, and every answer is in that order.
 */
export class TextIndex {
  readonly #vocabulary = new Vocabulary();
  /** All documents' tokens in one row; document d begins at #begins[d]. */
  readonly #words: Int32Array;
  readonly #begins: Int32Array;
  /** The documents of each token, ascending, all in one row; token t has those from #postingBegins[t] to #postingEnds[t]. */
  readonly #postings: Int32Array;
  readonly #postingBegins: Int32Array;
  readonly #postingEnds: Int32Array;

  /** @param documents the texts of each document; most have one */
  constructor(documents: readonly (readonly IndexedText[])[]) {
    this.#begins = new Int32Array(documents.length + 1);
    this.#words = this.#number(documents);
    this.#postingBegins = this.#rooms();
    this.#postingEnds = this.#postingBegins.slice();
    this.#postings = this.#post();
  }

  /** The documents that hold every phrase, ascending; none for an empty list. */
  all(phrases: readonly Phrase[]): Int32Array {
    const [first, ...others] = phrases;
    if (!first) return NOTHING;
    return others.reduce((found, phrase) => intersect(found, this.phrase(phrase)), this.phrase(first));
  }

  /** The documents that hold the tokens side by side, ascending. */
  phrase(phrase: Phrase): Int32Array {
    const numbers: number[] = [];
    for (const token of phrase) {
      const number = this.#vocabulary.idOf(token);
      if (number === undefined) return NOTHING;
      numbers.push(number);
    }
    const lists = numbers.map((number) => this.#documents(number)).sort((a, b) => a.length - b.length);
    const [shortest, ...others] = lists;
    if (!shortest) return NOTHING;
    const candidates = others.reduce(intersect, shortest);
    return numbers.length === 1 ? candidates : candidates.filter((document) => this.#holds(document, numbers));
  }

  /** The tokens for which `accepts` is true: how wildcards find their words. */
  tokensWhere(accepts: (token: string) => boolean): string[] {
    return this.#vocabulary.tokens.filter(accepts);
  }

  #number(documents: readonly (readonly IndexedText[])[]): Int32Array {
    const words = new Int32List();
    const known = new Map<string, readonly number[]>();
    const add = (piece: string) => {
      let numbers = known.get(piece);
      if (numbers === undefined) {
        numbers = tokens(piece).map((token) => this.#vocabulary.addToken(token));
        known.set(piece, numbers);
      }
      words.push(numbers);
    };
    documents.forEach((texts, document) => {
      for (const text of texts) {
        if (typeof text === "string") add(text);
        else text.forEach(add);
        words.push(GAP);
      }
      this.#begins[document + 1] = words.length;
    });
    return words.cut();
  }

  /** Where the documents of each token begin, with room for as many as the token stands in the texts. */
  #rooms(): Int32Array {
    const words = this.#words;
    const begins = new Int32Array(this.#vocabulary.tokens.length + 1);
    for (let at = 0; at < words.length; at++) {
      const next = (words[at] ?? NO_WORD) + 1;
      if (next > 0) begins[next] = (begins[next] ?? 0) + 1;
    }
    for (let token = 1; token < begins.length; token++) begins[token] = (begins[token] ?? 0) + (begins[token - 1] ?? 0);
    return begins;
  }

  /** Writes each document down for each of its tokens, once. */
  #post(): Int32Array {
    const words = this.#words;
    const ends = this.#postingEnds;
    const postings = new Int32Array(words.length);
    const lastIn = new Int32Array(ends.length).fill(-1);
    for (let document = 0; document + 1 < this.#begins.length; document++) {
      const end = this.#begins[document + 1] ?? 0;
      for (let at = this.#begins[document] ?? 0; at < end; at++) {
        const token = words[at] ?? NO_WORD;
        if (token === NO_WORD || lastIn[token] === document) continue;
        lastIn[token] = document;
        const place = ends[token] ?? 0;
        postings[place] = document;
        ends[token] = place + 1;
      }
    }
    return postings;
  }

  #documents(token: number): Int32Array {
    return this.#postings.subarray(this.#postingBegins[token], this.#postingEnds[token]);
  }

  #holds(document: number, numbers: readonly number[]): boolean {
    const last = (this.#begins[document + 1] ?? 0) - numbers.length;
    for (let at = this.#begins[document] ?? 0; at <= last; at++) {
      let matched = 0;
      while (matched < numbers.length && this.#words[at + matched] === numbers[matched]) matched++;
      if (matched === numbers.length) return true;
    }
    return false;
  }
}

/** Whole numbers in a row that grows. */
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

  /** The numbers, without the room for more. */
  cut(): Int32Array {
    return this.#numbers.slice(0, this.length);
  }

  #grow(needed: number): void {
    const numbers = new Int32Array(Math.max(needed, this.#numbers.length * 2));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

/** What two ascending lists have in common, ascending. */
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

/** Numbers tokens in the order in which they first come. */
export class Vocabulary {
  readonly tokens: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a token, or undefined where no text has it. */
  idOf(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  /** The number of a token, a new one where it is new. */
  addToken(token: string): number {
    const known = this.#numbers.get(token);
    if (known !== undefined) return known;
    const number = this.tokens.push(token) - 1;
    this.#numbers.set(token, number);
    return number;
  }
}
