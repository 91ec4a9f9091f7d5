import { types } from "node:util";

const DAY_PARTS = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The first moment of a date or time, and the first after it; undefined for anything else. */
export function rangeOf(value: unknown): readonly [begin: Date, end: Date] | undefined {
  if (types.isDate(value)) return instant(value.getTime());
  if (typeof value !== "string") return undefined;
  const [, year, month, day] = DAY_PARTS.exec(value) ?? [];
  if (year === undefined) {
    const [text, zone] = TIMESTAMP.exec(value) ?? [];
    return text === undefined
      ? undefined
      : instant(Date.parse(zone === undefined ? `${text.replace(" ", "T")}Z` : text));
  }
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)];
  const begin = new Date(Date.UTC(y, m - 1, d));
  if (begin.getUTCMonth() !== m - 1) return undefined;
  if (day !== undefined) return [begin, new Date(Date.UTC(y, m - 1, d + 1))];
  return [begin, month === undefined ? new Date(Date.UTC(y + 1, 0, 1)) : new Date(Date.UTC(y, m, 1))];
}

function instant(time: number): readonly [begin: Date, end: Date] | undefined {
  return Number.isNaN(time) ? undefined : [new Date(time), new Date(time + 1)];
}
