/** Numbers tokens in the order in which they first come. */
export class Vocabulary {
  readonly tokens: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a token, or undefined where no text has it. */
  numberOf(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  /** The number of a token, a new one where it is new. */
  number(token: string): number {
    const known = this.#numbers.get(token);
    if (known !== undefined) return known;
    const number = this.tokens.push(token) - 1;
    this.#numbers.set(token, number);
    return number;
  }
}
