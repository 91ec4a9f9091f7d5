import { KeyFinder } from "./keyFinder.js";

const MARK = "[redacted]";

/**
 * Creates a function that removes a secret from a text, in whatever encoding it occurs (see {@link KeyFinder}).
 *
 * @example
 * const redact = createRedactor("s3cr3t-key");
 * redact("no such key: s3cr3t-key"); //=> "no such key: [redacted]"
 */
export function createRedactor(secret: string): (text: string) => string {
  const finder = new KeyFinder(secret);
  return (text) => redactWith(finder, text).text;
}

/** Replaces each occurrence of the key by a mark, and counts them. */
export function redactWith(finder: KeyFinder, text: string): { text: string; redactions: number } {
  const spans = finder.occursIn(text) ? finder.find(text) : [];
  if (spans.length === 0) return { text, redactions: 0 };
  const parts: string[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    parts.push(text.slice(at, from), MARK);
    at = to;
  }
  return { text: parts.join("") + text.slice(at), redactions: spans.length };
}
