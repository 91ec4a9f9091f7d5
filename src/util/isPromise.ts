/** Whether a value is a promise, of any realm or library. */
export function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** The hint for a promise where a value was expected. */
export const UNAWAITED = "It is a promise. Put await before it.";
