import { escapedLines } from "../util/text.js";

const MAX_DEPTH = 5;

/**
 * Copies an error of another library to a plain error with its name, message, stack, code and cause. Other members may hold secrets in
 * places that cannot be enumerated: a request with its headers, a command with its password. Text is escaped, because Node prints
 * stacks verbatim.
 */
export function copyCause(cause: unknown, redact: (text: string) => string = (text) => text, depth = 0): unknown {
  const clean = (text: unknown) => escapedLines(redact(String(text)));
  if (cause === undefined || cause === null) return cause;
  if (typeof cause !== "object" && typeof cause !== "function") return clean(cause);
  const { name, message, stack, code, cause: inner } = cause as Partial<NodeJS.ErrnoException>;
  const textOf = (value: unknown) => (typeof value === "string" ? clean(value) : undefined);
  const copy = new Error(textOf(message) ?? "a cause that is not an error");
  const members = { name: textOf(name) ?? "Error", stack: textOf(stack), code: textOf(code) };
  for (const [member, value] of Object.entries(members)) if (value !== undefined) hide(copy, member, value);
  if (inner !== undefined && depth < MAX_DEPTH) hide(copy, "cause", copyCause(inner, redact, depth + 1));
  return copy;
}

function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false });
}
