import { invalid } from "../../errors/validators.js";

/**
 * The value of a label as text.
 *
 * @throws ValidationError for a value that is neither a text, a number, a boolean nor a date
 * @example
 * labelText("wave", 3); //=> "3"
 */
export function labelText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw invalid(name, value, "A label is a text, a number or a date.");
}
