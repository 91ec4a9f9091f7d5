import { type KeyFinder, MIN_DISTINCTIVE_LENGTH } from "./keyFinder.js";
import { redactWith } from "./redact.js";

/** A body without the key, and how often the key was removed. */
export interface RedactedBody {
  readonly body: Buffer;
  readonly redactions: number;
}

/**
 * Creates a function that removes a secret from a body. Almost no body contains it; one that does not is returned unchanged.
 * A secret of fewer than eight characters is not removed: it may be part of ordinary words.
 *
 * In JSON, whole strings are decoded, redacted and encoded again, and a number is replaced by a string, so that the body
 * stays valid JSON.
 *
 * @example
 * const redactBody = createBodyRedactor("s3cr3t-key", new KeyFinder("s3cr3t-key"));
 * redactBody(Buffer.from('{"link":"/?k=s3cr3t-key"}')).body.toString(); //=> '{"link":"/?k=[redacted]"}'
 */
export function createBodyRedactor(secret: string, finder: KeyFinder): (body: Buffer) => RedactedBody {
  if (secret.length < MIN_DISTINCTIVE_LENGTH) return (body) => ({ body, redactions: 0 });
  return (body) => {
    if (!finder.occursInBytes(body)) return { body, redactions: 0 };
    const text = body.toString();
    const clean = isJson(text) ? redactJson(text, finder) : redactWith(finder, text);
    return clean.redactions === 0
      ? { body, redactions: 0 }
      : { body: Buffer.from(clean.text), redactions: clean.redactions };
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function redactJson(json: string, finder: KeyFinder): { text: string; redactions: number } {
  const parts: string[] = [];
  let redactions = 0;
  const clean = (text: string, original: string): string => {
    const result = redactWith(finder, text);
    redactions += result.redactions;
    return result.redactions === 0 ? original : JSON.stringify(result.text);
  };
  const cleanNumbers = (between: string) => between.replace(/[-+.\w]+/g, (scalar) => clean(scalar, scalar));
  let at = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', at)) {
    parts.push(cleanNumbers(json.slice(at, open)));
    at = stringEnd(json, open);
    const string = json.slice(open, at);
    parts.push(clean(JSON.parse(string) as string, string));
  }
  parts.push(cleanNumbers(json.slice(at)));
  return { text: parts.join(""), redactions };
}

/** The position after the string that opens at `open`. */
function stringEnd(json: string, open: number): number {
  for (let at = open + 1; ; at++) {
    at = json.indexOf('"', at);
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}
