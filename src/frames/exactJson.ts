import { randomUUID } from "node:crypto";

// Unguessable, so that no text from the wire can pass for a number.
const MARK = `${randomUUID()}:`;
const LONG_DIGITS = /\d{16}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/gs;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/**
 * `JSON.parse` that keeps whole numbers beyond 2^53 exact, as bigint; everything else is as there (the last of two
 * members of one name holds, for example).
 *
 * @throws SyntaxError where the text is not JSON
 * @example
 * parseExact("[1, 9007199254740993]"); //=> [1, 9007199254740993n]
 */
export function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`));
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/**
 * `JSON.stringify` that writes bigint as digits. A lone half of a surrogate pair becomes U+FFFD, as it does in every
 * UTF-8 text.
 *
 * @example
 * stringifyExact([9007199254740993n]); //=> "[9007199254740993]"
 */
export function stringifyExact(value: unknown): string {
  let long = false;
  const text = JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === "bigint") {
      long = true;
      return `${MARK}${part}`;
    }
    return typeof part === "string" ? wellFormed(part) : part;
  });
  return long ? text.replace(MARKED, "$1") : text;
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with lone halves of surrogate pairs replaced, which UTF-8 cannot hold. */
export function wellFormed(text: string): string {
  return text.replace(LONE, "\ufffd");
}
