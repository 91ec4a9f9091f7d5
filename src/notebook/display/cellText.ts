import { inspect } from "node:util";
import { dateText } from "../../frames/cells.js";
import { stringifyExact } from "../../frames/exactJson.js";
import type { Cell } from "./grid.js";

/** Formats a value as a cell; null for a missing value. Nested values become JSON. */
export function valueCell(value: unknown): Cell | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return { text: value };
  if (value instanceof Date) return { text: (dateText(value) ?? "invalid date").replace("T", " ").replace("Z", "") };
  return { text: typeof value === "object" ? jsonText(value) : String(value) };
}

/** Formats a float with six decimals. If that loses digits, `full` holds all of them. */
export function floatCell(value: unknown): Cell | null {
  if (typeof value !== "number") return valueCell(value);
  const text = floatText(value);
  return Number(text) === value || !Number.isFinite(value) ? { text } : { text, full: String(value) };
}

/**
 * A float with at most six decimals.
 *
 * @example
 * floatText(2);        //=> "2.0"
 * floatText(1 / 3);    //=> "0.333333"
 * floatText(1.5e-7);   //=> "1.5e-7"
 */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return Number(value.toPrecision(7)).toExponential();
  const text = String(Number(value.toFixed(6)));
  return text.includes(".") ? text : `${text}.0`;
}

function jsonText(value: object): string {
  try {
    return stringifyExact(value) ?? inspect(value);
  } catch {
    // Circular, or its toJSON() throws.
    return inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  }
}
