import { KeyFinder, MIN_DISTINCTIVE_LENGTH } from "./keyFinder.js";
import { redactWith } from "./redact.js";
import { createBodyRedactor, type RedactedBody } from "./redactBody.js";

/**
 * A value that shows itself only to those who ask for it: `console.log`, `JSON.stringify` and `String` give
 * `[redacted]`.
 *
 * @example
 * const key = new Secret("s3cr3t-key");
 * `${key}`; //=> "[redacted]"
 * key.reveal(); //=> "s3cr3t-key"
 */
export class Secret {
  readonly #value: string;
  readonly #finder: KeyFinder;
  readonly #redactBody: (body: Buffer) => RedactedBody;

  constructor(value: string) {
    this.#value = value;
    this.#finder = new KeyFinder(value);
    this.#redactBody = createBodyRedactor(value, this.#finder);
  }

  /** The value. Only the request header needs it. */
  reveal(): string {
    return this.#value;
  }

  /** The text without the value, in whatever encoding the value stands there. */
  redact(text: string): string {
    return redactWith(this.#finder, text).text;
  }

  /** Whether the value stands in a text, in whatever encoding. Not told of a short one, which is in ordinary words. */
  occursIn(text: string): boolean {
    return this.#value.length >= MIN_DISTINCTIVE_LENGTH && this.#finder.occursIn(text);
  }

  /** The body without the value; the same bytes where it is not in them. JSON stays JSON. */
  redactBody(body: Buffer): RedactedBody {
    return this.#redactBody(body);
  }

  /** The record without the value in any name or text, for headers. */
  redactAll(record: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(record).map((entry) => entry.map((text) => this.redact(text))));
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }
}
