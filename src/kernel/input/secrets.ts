import { createRedactor } from "../../service/http/redact.js";

/** Shorter secrets occur in ordinary text. */
const MIN_LENGTH = 4;

/** Number of secrets remembered. */
const MAX_SECRETS = 20;

/** What the user has typed into hidden prompts. None of it may leave the kernel. */
export class Secrets {
  readonly #redactors = new Map<string, (text: string) => string>();

  add(secret: string): void {
    const text = secret.trim();
    if (text.length < MIN_LENGTH || this.#redactors.has(text)) return;
    this.#redactors.set(text, createRedactor(text));
    const [oldest] = this.#redactors.size > MAX_SECRETS ? this.#redactors.keys() : [];
    if (oldest !== undefined) this.#redactors.delete(oldest);
  }

  /** Replaces every secret, in any encoding, by a mark. */
  readonly redact = (text: string): string => {
    let redacted = text;
    for (const redact of this.#redactors.values()) redacted = redact(redacted);
    return redacted;
  };
}
