import { probe } from "./probe.js";
import { base64Forms, SHORTEST_TELLING } from "./redact.js";

/** A text as short as this is in every page. */
const SHORTEST_RUN = 4;

/**
 * Makes a function that takes a secret out of a body. Nearly no body holds it, and those that do not are the same bytes
 * afterwards, at the cost of one look that skips most of them. A secret of fewer than eight characters stays: it may be a
 * part of the words that were asked for.
 *
 * In JSON whole strings are decoded, redacted and encoded again, and a number is replaced by a string, so that the body
 * stays JSON.
 *
 * @param redact takes the secret out of a text
 * @example
 * const redactBody = createBodyRedactor("s3cr3t-key", createRedactor("s3cr3t-key"));
 * redactBody(Buffer.from('{"link":"/?k=s3cr3t-key"}')).toString(); //=> '{"link":"/?k=[redacted]"}'
 */
export function createBodyRedactor(secret: string, redact: (text: string) => string): (body: Buffer) => Buffer {
  if (secret.length < SHORTEST_TELLING) return (body) => body;
  const mayHold = probe([secret, ...base64Forms(secret)].map(longestRun));
  return (body) => {
    if (!mayHold(body)) return body;
    const text = body.toString();
    const clean = isJson(text) ? redactJson(text, redact) : redact(text);
    return clean === text ? body : Buffer.from(clean);
  };
}

/** No encoder escapes letters, digits and these four signs, so a run of them stands in every spelling. */
function longestRun(form: string): string {
  const [longest = ""] = (form.match(/[a-z0-9._~-]+/gi) ?? []).sort((a, b) => b.length - a.length);
  return longest.length < SHORTEST_RUN ? form : longest;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function redactJson(json: string, redact: (text: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', at)) {
    parts.push(redactNumbers(json.slice(at, open), redact));
    at = stringEnd(json, open);
    const string = json.slice(open, at);
    const text = JSON.parse(string) as string;
    const clean = redact(text);
    parts.push(clean === text ? string : JSON.stringify(clean));
  }
  parts.push(redactNumbers(json.slice(at), redact));
  return parts.join("");
}

function redactNumbers(json: string, redact: (text: string) => string): string {
  return json.replace(/[-+.\w]+/g, (scalar) => (redact(scalar) === scalar ? scalar : JSON.stringify(redact(scalar))));
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
