import { tokenAt } from "./tokens.js";

const FIRST_SLOTS = 1 << 12;

/**
 * Numbers tokens in the order in which they first come. A token is looked up where it stands in its text, without
 * being cut out: an archive has millions of words and only a few thousand different ones.
 */
export class Vocabulary {
  readonly tokens: string[] = [];
  /** As the texts have them: "president's" stands here beside "president", with the same number. */
  readonly #spellings: string[] = [];
  readonly #numbers: number[] = [];
  readonly #byToken = new Map<string, number>();
  /** Open addressing: place in #spellings plus one, or 0. */
  #slots = new Int32Array(FIRST_SLOTS);

  /** The number of a token, or undefined where no text has it. */
  numberOf(token: string): number | undefined {
    return this.#byToken.get(token);
  }

  /** The number of the token between two places of a folded text, a new one where it is new. */
  number(folded: string, start: number, end: number): number {
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + folded.charCodeAt(at)) | 0;
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const place = this.#slots[slot] ?? 0;
      if (place === 0) break;
      if (same(this.#spellings[place - 1] ?? "", folded, start, end)) return this.#numbers[place - 1] ?? 0;
      slot = (slot + 1) & mask;
    }
    return this.#add(folded, start, end, slot);
  }

  #add(folded: string, start: number, end: number, slot: number): number {
    const token = tokenAt(folded, start, end);
    let number = this.#byToken.get(token);
    if (number === undefined) {
      number = this.tokens.push(token) - 1;
      this.#byToken.set(token, number);
    }
    this.#numbers.push(number);
    this.#slots[slot] = this.#spellings.push(folded.slice(start, end));
    if (this.#spellings.length * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    this.#spellings.forEach((spelling, place) => {
      let hash = 0;
      for (let at = 0; at < spelling.length; at++) hash = (Math.imul(hash, 31) + spelling.charCodeAt(at)) | 0;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = place + 1;
    });
    this.#slots = slots;
  }
}

function same(spelling: string, folded: string, start: number, end: number): boolean {
  if (spelling.length !== end - start) return false;
  for (let at = 0; at < spelling.length; at++) {
    if (spelling.charCodeAt(at) !== folded.charCodeAt(start + at)) return false;
  }
  return true;
}
