import type { Secret } from "./secret.js";

/** Nested causes and errors are copied this deep. */
const MAX_DEPTH = 5;
const MAX_ERRORS = 10;

/**
 * Copies a cause without the secret: a plain error with the name, message, stack and code of the original; its causes and
 * aggregated errors are copied the same way. Errors of a session contain the request with its headers in places that cannot
 * be enumerated (getters, private fields, custom `inspect`), so only redacted strings are copied.
 */
export function cleanCause(cause: unknown, secret: Secret): unknown {
  return copy(cause, secret, 0);
}

function copy(cause: unknown, secret: Secret, depth: number): unknown {
  if (typeof cause === "function" || (typeof cause === "object" && cause !== null)) return copyOf(cause, secret, depth);
  const text = String(cause);
  const clean = secret.redact(text);
  return clean === text && typeof cause !== "symbol" ? cause : clean;
}

function copyOf(cause: object, secret: Secret, depth: number): Error {
  const text = (name: string): string | undefined => {
    const value = read(cause, name);
    return typeof value === "string" ? secret.redact(value) : undefined;
  };
  const clean = new Error(text("message") ?? "a cause that is not an error");
  const code = text("code");
  for (const [name, value] of Object.entries({ name: text("name") ?? "Error", stack: text("stack") ?? "" })) {
    Object.defineProperty(clean, name, { value, configurable: true, writable: true });
  }
  if (code !== undefined) Object.assign(clean, { code });
  if (depth === MAX_DEPTH) return clean;
  const inner = read(cause, "cause");
  if (inner !== undefined) Object.defineProperty(clean, "cause", hidden(copy(inner, secret, depth + 1)));
  const errors = read(cause, "errors");
  if (typeof errors === "object" && errors !== null) {
    const list = Array.from({ length: MAX_ERRORS }, (_, at) => read(errors, String(at)));
    const copies = list.filter((error) => error !== undefined).map((error) => copy(error, secret, depth + 1));
    Object.defineProperty(clean, "errors", hidden(copies));
  }
  return clean;
}

/** Reads a property; getters and proxies may throw. */
function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true, enumerable: false };
}
