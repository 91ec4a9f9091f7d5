import { stringifyExact } from "../frames/exactJson.js";
import { toRecords } from "../frames/toRecords.js";

/**
 * JSON Lines of anything that holds rows (see {@link toRecords}): one JSON object per line, each line ended.
 *
 * @example
 * toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "VdRM" }); //=> '{"id":1}\n{"id":2}\n'
 */
export function toJsonl(data: unknown): string {
  return toRecords(data)
    .map((row) => `${stringifyExact(row)}\n`)
    .join("");
}
