/** Whether a value is an object, not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object, not an array, null or Date. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date);
}

/** Whether a value is a promise, of any realm or library. */
export function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** A copy with `undefined` instead of `null`, so that both count as absent. Keeps the names, so that unknown ones are still rejected. */
export function withoutNulls<T extends object>(options: T): T {
  if (!Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined])) as T;
}
