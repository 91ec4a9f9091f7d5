import { stringifyExact } from "./exactJson.js";

// Deeper than any record that a service means: what lies below is kept as JSON text instead of columns.
const DEEPEST = 32;

/** Calls `put` with each column name and value of a row: nested objects become dotted names, lists stay whole. */
export function flatten(row: object, put: (name: string, value: unknown) => void, prefix = "", depth = 0): void {
  for (const [member, value] of Object.entries(row)) {
    const name = prefix + member;
    if (!isPlainObject(value)) put(name, value);
    else if (depth >= DEEPEST) put(name, stringifyExact(value));
    else if (Object.keys(value).length === 0) put(name, null);
    else flatten(value, put, `${name}.`, depth + 1);
  }
}

/** Whether a value is a nested object, and not null, a list or a date. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
