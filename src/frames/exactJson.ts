import { randomUUID } from "node:crypto";
import { ValidationError } from "../errors/index.js";

// Unguessable, so that no text from the wire can pass for a number.
const MARK = `${randomUUID()}:`;
const LONG_DIGITS = /\d{16}/;
// A long string is taken in pieces: matched as one it would need a stack as long as itself. No number is found inside it,
// since the pieces follow one another without a gap.
const ESCAPES = String.raw`\\.[^"\\]*`;
// So many digits say nothing that somebody could count, and would take hours to read.
const MAX_DIGITS = 4096;
// Digits that are no number stay as they are, for JSON.parse to refuse: zeros in front, or in the place of a name.
const TOKEN = new RegExp(
  String.raw`"[^"\\]*(?:${ESCAPES}){0,999}"?|(?:${ESCAPES}){1,999}"?|(?<![\d.eE+-])-?[1-9]\d{15,${MAX_DIGITS - 1}}(?![\d.eE]|\s*:)`,
  "gs",
);
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
  const marked = text.replace(TOKEN, (token) => (/^["\\]/.test(token) ? token : `"${MARK}${token}"`));
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/**
 * `JSON.stringify` that writes bigint as digits. A lone half of a surrogate pair becomes U+FFFD, as it does in every
 * UTF-8 text.
 *
 * @throws ValidationError for what JSON cannot write: an object that holds itself, or values nested thousands deep
 * @example
 * stringifyExact([9007199254740993n]); //=> "[9007199254740993]"
 */
export function stringifyExact(value: unknown): string {
  let long = false;
  const exact = (_name: string, part: unknown) => {
    if (typeof part === "bigint") {
      long = true;
      return `${MARK}${part}`;
    }
    return typeof part === "string" ? wellFormed(part) : part;
  };
  let text: string;
  try {
    text = JSON.stringify(value, exact);
  } catch (cause) {
    const hint = "Give rows of plain values, without objects that hold themselves.";
    throw new ValidationError("a value cannot be written as JSON.", { hint, cause });
  }
  return long ? text.replace(MARKED, "$1") : text;
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with lone halves of surrogate pairs replaced, which UTF-8 cannot hold. */
export function wellFormed(text: string): string {
  return text.replace(LONE, "\ufffd");
}
