import { types } from "node:util";
import { escapedLines, needsEscape } from "../util/quoted.js";

/** Causes nested deeper stay as they are. */
const MAX_DEPTH = 5;

/**
 * A cause that is safe to print: Node prints stacks unescaped, and parsers quote what they could not read. An error with
 * control characters is replaced by a copy with escaped texts; any other stays the same object.
 */
export function harmlessCause(cause: unknown, depth: number = 0): unknown {
  if (!types.isNativeError(cause) || depth > MAX_DEPTH) return typeof cause === "string" ? escapedLines(cause) : cause;
  const { name, message, stack } = cause;
  const inner = harmlessCause(cause.cause, depth + 1);
  if (inner === cause.cause && !needsEscape(`${name}${message}${stack}`)) return cause;
  const copy = new Error(escapedLines(String(message)), inner === undefined ? undefined : { cause: inner });
  const { code } = cause as NodeJS.ErrnoException;
  const value = (text: unknown) => ({ value: escapedLines(String(text)), configurable: true, writable: true });
  Object.defineProperties(copy, { name: value(name), stack: value(stack) });
  return typeof code === "string" ? Object.assign(copy, { code: escapedLines(code) }) : copy;
}
