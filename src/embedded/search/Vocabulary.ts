import { lowerCode, tokenAt } from "./tokens.js";

const FIRST_SLOTS = 1 << 12;

/**
 * Numbers tokens in the order in which they first come. A token is looked up where it stands in its text, without
 * being cut out: an archive has millions of words and only a few thousand different ones.
 */
export class Vocabulary {
  readonly tokens: string[] = [];
  readonly #byToken = new Map<string, number>();
  /** In lower case, as the texts have them: "president's" stands here beside "president", with the same number. */
  readonly #spellings: string[] = [];
  readonly #numbers: number[] = [];
  /** Open addressing: place in #spellings plus one, or 0. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** The hash of the spelling in each slot. */
  #hashes = new Int32Array(FIRST_SLOTS);

  /** The number of a token, or undefined where no text has it. */
  numberOf(token: string): number | undefined {
    return this.#byToken.get(token);
  }

  /** The number of a token as eachToken() finds it in a text, a new one where it is new. */
  number(text: string, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return this.#add(text, start, end, hash, slot);
      if (this.#hashes[slot] === hash && same(this.#spellings[place] ?? "", text, start, end))
        return this.#numbers[place] ?? 0;
      slot = (slot + 1) & mask;
    }
  }

  #add(text: string, start: number, end: number, hash: number, slot: number): number {
    const token = tokenAt(text, start, end);
    let number = this.#byToken.get(token);
    if (number === undefined) {
      number = this.tokens.push(token) - 1;
      this.#byToken.set(token, number);
    }
    this.#numbers.push(number);
    this.#hashes[slot] = hash;
    this.#slots[slot] = this.#spellings.push(text.slice(start, end).toLowerCase());
    if (this.#spellings.length * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const hashes = new Int32Array(slots.length);
    const mask = slots.length - 1;
    this.#slots.forEach((place, from) => {
      const hash = this.#hashes[from] ?? 0;
      if (place === 0) return;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = place;
      hashes[slot] = hash;
    });
    this.#slots = slots;
    this.#hashes = hashes;
  }
}

function same(spelling: string, text: string, start: number, end: number): boolean {
  if (spelling.length !== end - start) return false;
  for (let at = 0; at < spelling.length; at++) {
    if (spelling.charCodeAt(at) !== lowerCode(text.charCodeAt(start + at))) return false;
  }
  return true;
}
