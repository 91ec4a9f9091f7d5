import { BREAK } from "../tokens.js";

export interface TermCount {
  readonly term: string;
  readonly count: number;
  readonly mentions: number;
}

interface Entry {
  count: number;
  mentions: number;
  /** The last caption with the term. */
  caption: number;
  /** How often each cluster says it. */
  readonly clusters: Map<number, number>;
}

/** Counts terms of one length, caption by caption. */
export class TermTally {
  /** All terms of this length, stop words included. */
  total = 0;
  /** All terms of each cluster, if captions come with theirs. */
  readonly totals = new Map<number, number>();
  readonly #entries = new Map<string, Entry>();
  #caption = 0;
  #cluster: number | undefined;

  constructor(
    readonly size: number,
    private readonly stopwords: ReadonlySet<string>,
  ) {}

  /** Counts the terms of a caption, from its `tokens`. */
  add(words: readonly string[], cluster?: number): void {
    const before = this.total;
    this.#caption++;
    this.#cluster = cluster;
    if (this.size === 1) for (const word of words) this.#addWord(word);
    else for (let end = this.size; end <= words.length; end++) this.#addTerm(words, end - this.size, end);
    if (cluster !== undefined) increase(this.totals, cluster, this.total - before);
  }

  /** Adds the counts of a tally of other captions. */
  merge(other: TermTally): void {
    this.total += other.total;
    for (const [cluster, total] of other.totals) increase(this.totals, cluster, total);
    for (const [term, { count, mentions, clusters }] of other.#entries) {
      const entry = this.#entries.get(term) ?? this.#newEntry(term, new Map());
      entry.count += count;
      entry.mentions += mentions;
      for (const [cluster, times] of clusters) increase(entry.clusters, cluster, times);
    }
  }

  /** The terms that occur at least `min` times. */
  entries(min: number): TermCount[] {
    const frequent: TermCount[] = [];
    for (const [term, { count, mentions }] of this.#entries) if (count >= min) frequent.push({ term, count, mentions });
    return frequent;
  }

  /** How often a term occurs, and how often each cluster says it. */
  of(term: string): Pick<Entry, "count" | "clusters"> {
    return this.#entries.get(term) ?? { count: 0, clusters: NONE };
  }

  #addWord(word: string): void {
    if (word === BREAK) return;
    this.total++;
    if (!this.stopwords.has(word)) this.#count(word);
  }

  #addTerm(words: readonly string[], start: number, end: number): void {
    for (let at = start; at < end; at++) if (words[at] === BREAK) return;
    this.total++;
    const [first, last] = [words[start] as string, words[end - 1] as string];
    if (this.stopwords.has(first) || this.stopwords.has(last)) return;
    this.#count(this.size === 2 ? `${first} ${last}` : `${first} ${words[start + 1]} ${last}`);
  }

  #count(term: string): void {
    const entry =
      this.#entries.get(term) ?? // A long word found in a text keeps the whole text in memory: copy it.
      this.#newEntry(Buffer.from(term).toString(), this.#cluster === undefined ? NONE : new Map());
    entry.count++;
    if (entry.caption !== this.#caption) entry.mentions++;
    entry.caption = this.#caption;
    if (this.#cluster !== undefined) increase(entry.clusters, this.#cluster, 1);
  }

  #newEntry(term: string, clusters: Map<number, number>): Entry {
    const entry = { count: 0, mentions: 0, caption: 0, clusters };
    this.#entries.set(term, entry);
    return entry;
  }
}

const NONE: Map<number, number> = new Map();

function increase(sums: Map<number, number>, key: number, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}
