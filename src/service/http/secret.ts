import { KeyFinder, MIN_DISTINCTIVE_LENGTH } from "./keyFinder.js";
import { redactWith } from "./redact.js";
import { createBodyRedactor, type RedactedBody } from "./redactBody.js";

/**
 * A value that is never printed by accident: `console.log`, `JSON.stringify` and `String` show `[redacted]`.
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

  /** The value, for the request header only. */
  reveal(): string {
    return this.#value;
  }

  /** Removes the value from a text, in whatever encoding it occurs. */
  readonly redact = (text: string): string => redactWith(this.#finder, text).text;

  /** Whether a text contains the value, in whatever encoding. Always false for a short one, which occurs in ordinary words. */
  occursIn(text: string): boolean {
    return this.#value.length >= MIN_DISTINCTIVE_LENGTH && this.#finder.occursIn(text);
  }

  /** Removes the value from a body. JSON stays JSON; a body without the value is returned unchanged. */
  redactBody(body: Buffer): RedactedBody {
    return this.#redactBody(body);
  }

  /** Removes the value from all names and values of a record of headers. */
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
