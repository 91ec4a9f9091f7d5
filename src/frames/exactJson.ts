import { randomUUID } from "node:crypto";
import { ValidationError } from "../errors/index.js";
import { faulty } from "../errors/validators.js";
import { quoted } from "../util/text.js";

// Unguessable, so that no received string can pass for a number.
const MARK = `${randomUUID()}:`;
const LONG_DIGITS = /\d{16}/;
// A long string is matched in adjoining pieces, because a single match would need a stack proportional to its length.
const ESCAPES = String.raw`\\.[^"\\]*`;
// Parsing longer numbers as bigint could take hours.
const MAX_DIGITS = 4096;
// Invalid numbers (leading zeros, or digits as a member name) are left for JSON.parse to reject.
const TOKEN = new RegExp(
  String.raw`"[^"\\]*(?:${ESCAPES}){0,999}"?|(?:${ESCAPES}){1,999}"?|(?<![\d.eE+-])-?[1-9]\d{15,${MAX_DIGITS - 1}}(?![\d.eE]|\s*:)`,
  "gs",
);
const MARKED_NUMBER = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/**
 * `JSON.parse` that returns integers of 16 or more digits as bigint, so that they stay exact. Everything else follows `JSON.parse`: the
 * last of several members with the same name wins, for example.
 */
export function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  const markedText = text.replace(TOKEN, (token) => (/^["\\]/.test(token) ? token : `"${MARK}${token}"`));
  return JSON.parse(markedText, (_name, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/**
 * `JSON.stringify` that writes bigint as digits, dates without a fraction of zeros, and lone surrogates, which UTF-8 cannot encode, as
 * U+FFFD.
 */
export function stringifyExact(value: unknown): string {
  let hasBigint = false;
  function replacer(this: unknown, name: string, part: unknown): unknown {
    const value = (this as Record<string, unknown>)[name];
    refuseNonJson(name, value);
    if (typeof part === "bigint") {
      hasBigint = true;
      return `${MARK}${part}`;
    }
    if (typeof part !== "string") return part;
    // JSON.stringify has called toJSON() of dates.
    return value instanceof Date ? dateText(value) : part.toWellFormed();
  }
  let text: string;
  try {
    text = JSON.stringify(value, replacer);
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    const hint = "Pass rows of plain values, without circular references.";
    throw new ValidationError("a value cannot be written as JSON.", { hint, cause });
  }
  return hasBigint ? text.replace(MARKED_NUMBER, "$1") : text;
}

/** @throws ValidationError for a value that JSON cannot express */
function refuseNonJson(name: string, value: unknown): void {
  const type = typeof value === "object" ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  if (JSON_TYPES.has(type)) return;
  const hint = "Give text, numbers, booleans, dates, lists or plain objects, for example String(value).";
  throw faulty("data", `${name === "" ? "a value" : quoted(name)} is of type ${type}`, hint);
}

const JSON_TYPES = new Set("string number bigint boolean undefined Null Date Array Object".split(" "));

/** A date in ISO 8601, without a fraction for whole seconds; null if the date is invalid. */
export function dateText(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(".000Z", "Z");
}
