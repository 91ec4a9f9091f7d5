import { stringifyExact } from "../frames/exactJson.js";
import { toRecords } from "../frames/toRecords.js";

/**
 * Formats rows as JSON Lines: one JSON object per line, each followed by a line feed. Accepts anything that {@link toRecords}
 * accepts.
 *
 * @example
 * toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "VdRM" }); //=> '{"id":1}\n{"id":2}\n'
 */
export function toJsonl(data: unknown): string {
  return toRecords(data)
    .map((row) => `${stringifyExact(row)}\n`)
    .join("");
}
