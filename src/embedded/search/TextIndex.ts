import type { Phrase } from "./searchTerms.js";
import { eachToken, searchable } from "./tokens.js";
import { Vocabulary } from "./Vocabulary.js";

/** Parts the texts of one document, so that no phrase reaches from one into the next. */
const GAP = -1;
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
  /** The documents of each token, ascending, all in one row; token t begins at #postingBegins[t]. */
  readonly #postings: Int32Array;
  readonly #postingBegins: Int32Array;

  /** @param documents the texts of each document; most have one */
  constructor(documents: readonly (readonly string[])[]) {
    this.#begins = new Int32Array(documents.length + 1);
    this.#words = this.#number(documents);
    this.#postingBegins = new Int32Array(this.#vocabulary.tokens.length + 1);
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
      const number = this.#vocabulary.numberOf(token);
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

  #number(documents: readonly (readonly Text[])[]): Int32Array {
    const known = new Map<string, readonly number[]>();
    let words = new Int32Array(1 << 16);
    let count = 0;
    const push = (word: number) => {
      if (count === words.length) words = larger(words);
      words[count++] = word;
    };
    const pushAll = (piece: string) => {
      let numbers = known.get(piece);
      if (!numbers) known.set(piece, (numbers = tokens(piece).map((token) => this.#vocabulary.number(token))));
      for (const number of numbers) push(number);
    };
    documents.forEach((texts, document) => {
      for (const text of texts) {
        if (typeof text === "string") pushAll(text);
        else text.forEach(pushAll);
        push(GAP);
      }
      this.#begins[document + 1] = count;
    });
    return words.slice(0, count);
  }

  #documents(token: number): Int32Array {
    return this.#postings.subarray(this.#postingBegins[token], this.#postingBegins[token + 1]);
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

function larger(words: Int32Array): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(words.length * 2);
  copy.set(words);
  return copy;
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
