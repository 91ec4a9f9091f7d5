import { BREAK, tokens } from "../tokens.js";

/** How often a term occurs. */
export interface TermCount {
  readonly term: string;
  readonly count: number;
  /** Captions with the term. */
  readonly mentions: number;
}

interface Entry {
  count: number;
  mentions: number;
  /** The last caption with the term. */
  caption: number;
}

/** Counts terms of one length, caption by caption. */
export class TermTally {
  readonly size: number;
  /** All terms of this length, stop words included. */
  total = 0;
  readonly #stopwords: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry>();
  #caption = 0;

  constructor(size: number, stopwords: ReadonlySet<string>) {
    this.size = size;
    this.#stopwords = stopwords;
  }

  /** Counts the terms of a `spokenText`. */
  add(spoken: string): void {
    const words = tokens(spoken);
    this.#caption++;
    if (this.size === 1) for (const word of words) this.#addWord(word);
    else for (let end = this.size; end <= words.length; end++) this.#addTerm(words, end - this.size, end);
  }

  /** The terms that occur at least `min` times. */
  entries(min: number): TermCount[] {
    const found: TermCount[] = [];
    for (const [term, { count, mentions }] of this.#entries) if (count >= min) found.push({ term, count, mentions });
    return found;
  }

  #addWord(word: string): void {
    if (word === BREAK) return;
    this.total++;
    if (!this.#stopwords.has(word)) this.#count(word);
  }

  #addTerm(words: readonly string[], start: number, end: number): void {
    for (let at = start; at < end; at++) if (words[at] === BREAK) return;
    this.total++;
    const [first, last] = [words[start] as string, words[end - 1] as string];
    if (this.#stopwords.has(first) || this.#stopwords.has(last)) return;
    this.#count(this.size === 2 ? `${first} ${last}` : `${first} ${words[start + 1]} ${last}`);
  }

  #count(term: string): void {
    const entry = this.#entries.get(term);
    if (entry === undefined) this.#entries.set(ownCopy(term), { count: 1, mentions: 1, caption: this.#caption });
    else {
      entry.count++;
      if (entry.caption !== this.#caption) entry.mentions++;
      entry.caption = this.#caption;
    }
  }
}

/** A long word found in a text keeps the whole text in memory. */
function ownCopy(term: string): string {
  return Buffer.from(term).toString();
}
