/** Whether a value is an object, and neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object with members: no array, null or Date. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date);
}
