import type { Secret } from "./secret.js";

/** An error with more parts than this is not searched to the end: it is copied. */
const MOST_PARTS = 2000;

/**
 * The cause that may be kept on an error: the error itself when the secret is nowhere in it, else a copy with name,
 * code, message, stack and causes, the secret taken out. Errors of a session can hold the request with its headers.
 */
export function cleanCause(cause: unknown, secret: Secret): unknown {
  return isHarmless(cause, secret) ? cause : copy(cause, secret, 0);
}

function isHarmless(cause: unknown, secret: Secret): boolean {
  try {
    return holdsNothing(cause, secret);
  } catch {
    // A proxy object that lets nobody look into it.
    return false;
  }
}

/** Walks everything that a console would print, hidden properties included. */
function holdsNothing(root: unknown, secret: Secret): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value === "string" && secret.redact(value) !== value) return false;
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MOST_PARTS) return false;
    if (ArrayBuffer.isView(value)) continue;
    if (value instanceof Map) open.push(...value.keys(), ...value.values());
    if (value instanceof Set) open.push(...value);
    for (const name of Reflect.ownKeys(value)) {
      const property = Reflect.getOwnPropertyDescriptor(value, name);
      open.push(typeof name === "string" ? name : name.description, property?.value);
    }
  }
  return true;
}

function copy(cause: unknown, secret: Secret, depth: number): unknown {
  if (!(cause instanceof Error)) return secret.redact(typeof cause === "string" ? cause : "a cause that is no error");
  const { code } = cause as { code?: unknown };
  const inner = cause.cause === undefined || depth > 5 ? undefined : { cause: copy(cause.cause, secret, depth + 1) };
  const clean = new Error(secret.redact(String(cause.message)), inner);
  const stack = secret.redact(String(cause.stack ?? ""));
  const name = secret.redact(String(cause.name));
  for (const [key, value] of Object.entries({ name, stack })) {
    Object.defineProperty(clean, key, { value, configurable: true, writable: true });
  }
  return typeof code === "string" ? Object.assign(clean, { code: secret.redact(code) }) : clean;
}
