import { stringifyExact, wellFormed } from "./exactJson.js";
import { listOf, TypeFlags } from "./typeFlags.js";

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?:(?<=\.\d{6})0+)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** The bit that a value adds to its column; none for null, and none for empty text where text is not what is declared. */
export function cellFlag(value: unknown, declared: number): number {
  switch (typeof value) {
    case "string":
      if (declared !== TypeFlags.datetime)
        return value === "" && declared !== TypeFlags.string && declared !== 0 ? 0 : TypeFlags.string;
      if (value === "") return 0;
      return parseTimestamp(value) === undefined ? TypeFlags.string : TypeFlags.datetime;
    case "number":
      if (!Number.isFinite(value)) return Number.isNaN(value) ? 0 : TypeFlags.hugeNumber;
      if (!Number.isInteger(value)) return TypeFlags.float;
      return Number.isSafeInteger(value) ? TypeFlags.int : TypeFlags.float;
    case "bigint":
      if (value > INT64_MAX || value < INT64_MIN) return TypeFlags.hugeNumber;
      return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER ? TypeFlags.longInt : TypeFlags.int;
    case "boolean":
      return TypeFlags.bool;
    default:
      if (value === null || value === undefined) return 0;
      if (value instanceof Date) {
        const text = dateText(value);
        if (text === null) return 0;
        return declared === TypeFlags.string || parseTimestamp(text) === undefined
          ? TypeFlags.string
          : TypeFlags.datetime;
      }
      if (!Array.isArray(value)) return TypeFlags.string;
      return listOf((value as unknown[]).reduce((flags: number, item) => flags | itemKind(item), 0));
  }
}

/** Of a list in a list no more is known than that it is one. */
function itemKind(item: unknown): number {
  return Array.isArray(item) ? TypeFlags.list : cellFlag(item, 0);
}

/** A value as the text it has in a column of text: text as it is, everything else as its JSON. */
export function cellText(value: unknown): string {
  if (typeof value === "string") return wellFormed(value);
  if (value instanceof Date) return dateText(value) ?? "";
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/** A date as ISO 8601, whole seconds without a fraction; null for an invalid one, which is no value. */
export function dateText(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(".000Z", "Z");
}

/**
 * A moment as polars reads it: with seconds and an offset. Date alone is midnight, no offset is UTC. A column holds
 * microseconds, so a text with more digits is none, unless they are zeros.
 *
 * @example
 * instant("2024-04-27"); //=> "2024-04-27T00:00:00Z"
 * instant("2024-02-30"); //=> undefined
 * instant("2024-04-27T00:00:00.1234567Z"); //=> undefined
 */
export function parseTimestamp(text: string): string | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, day, time = "00:00:00", offset = "Z"] = match as unknown as [string, string, string?, string?];
  const whole = `${day}T${time.length === 5 ? `${time}:00` : time}${offset}`;
  // Date.parse takes 30 February for 1 March, so the day is checked by itself.
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists && time.slice(0, 2) !== "24" && !Number.isNaN(Date.parse(whole)) ? whole : undefined;
}
