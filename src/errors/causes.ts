import { escapedLines } from "../util/quoted.js";

/** Members of Node's system errors. */
const MEMBERS = ["code", "errno", "syscall", "path", "dest", "hostname", "address", "port"] as const;

const MAX_DEPTH = 5;
const MAX_ERRORS = 10;

/**
 * Copies an error of another library to a plain error with its name, message, stack, causes and system members. Other members may
 * hold secrets in places that cannot be enumerated (getters, private fields, custom `inspect`): a request with its headers, a
 * command with its password. Text is escaped, because Node prints stacks verbatim.
 */
export function copyCause(
  cause: unknown,
  redact: (text: string) => string = (text) => text,
  depth: number = 0,
): unknown {
  const clean = (text: string) => escapedLines(redact(text));
  if (typeof cause === "string" || typeof cause === "symbol") return clean(String(cause));
  if ((typeof cause !== "object" && typeof cause !== "function") || cause === null) {
    const text = String(cause);
    return redact(text) === text ? cause : clean(text);
  }
  const text = (name: string): string | undefined => {
    const value = read(cause, name);
    return typeof value === "string" ? clean(value) : undefined;
  };
  const copy = new Error(text("message") ?? "a cause that is not an error");
  hide(copy, "name", text("name") ?? "Error");
  hide(copy, "stack", text("stack") ?? "");
  for (const name of MEMBERS) {
    const value = read(cause, name);
    if (typeof value === "number" || typeof value === "string") Object.assign(copy, { [name]: text(name) ?? value });
  }
  if (depth === MAX_DEPTH) return copy;
  const inner = read(cause, "cause");
  if (inner !== undefined) hide(copy, "cause", copyCause(inner, redact, depth + 1));
  const errors = read(cause, "errors");
  if (typeof errors === "object" && errors !== null) {
    const list = Array.from({ length: MAX_ERRORS }, (_, at) => read(errors, String(at)));
    const copies = list.filter((error) => error !== undefined).map((error) => copyCause(error, redact, depth + 1));
    hide(copy, "errors", copies);
  }
  return copy;
}

/** Getters and proxies may throw. */
function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false });
}
