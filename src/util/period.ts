import { congressDates, congressOn } from "./congress.js";

/** A calendar period, or a Congress. */
export type Period = "day" | "week" | "month" | "quarter" | "year" | "congress";

/** All periods, shortest first. */
export const PERIODS: readonly Period[] = ["day", "week", "month", "quarter", "year", "congress"];

/** The first day of a period, and the first day after it. */
export interface PeriodDays {
  readonly begin: string;
  readonly end: string;
}

/**
 * The period that contains a time, in UTC. Weeks begin on Monday, Congresses as in {@link congressDates}.
 * @example
 * periodOf(Date.parse("2024-04-27T02:35:35Z"), "month"); //=> { begin: "2024-04-01", end: "2024-05-01" }
 */
export function periodOf(time: number, period: Period): PeriodDays {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const monday = day - ((date.getUTCDay() + 6) % 7);
  switch (period) {
    case "day":
      return periodDays([year, month, day], [year, month, day + 1]);
    case "week":
      return periodDays([year, month, monday], [year, month, monday + 7]);
    case "month":
      return periodDays([year, month, 1], [year, month + 1, 1]);
    case "quarter":
      return periodDays([year, month - (month % 3), 1], [year, month - (month % 3) + 3, 1]);
    case "year":
      return periodDays([year, 0, 1], [year + 1, 0, 1]);
    case "congress": {
      const congress = congressOn(isoDate([year, month, day]));
      return { begin: congressDates(congress).mindate, end: congressDates(congress + 1).mindate };
    }
  }
}

/** The name of the period that begins on a day: "2024", "2024-Q1", "2024-03", the number of a Congress, or the day. */
export function periodName(begin: string, period: Period): string {
  if (period === "congress") return String(congressOn(begin));
  if (period === "quarter") return `${begin.slice(0, 4)}-Q${Math.ceil(Number(begin.slice(5, 7)) / 3)}`;
  return period === "year" ? begin.slice(0, 4) : period === "month" ? begin.slice(0, 7) : begin;
}

type Day = readonly [year: number, month: number, day: number];

function periodDays(begin: Day, end: Day): PeriodDays {
  return { begin: isoDate(begin), end: isoDate(end) };
}

function isoDate([year, month, day]: Day): string {
  // Date.UTC maps years below 100 to the 20th century.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.toISOString().replace(/T.*/, "");
}

/** A period, named as in {@link periodName}, with its first and its last day. */
export type DateWindow = Readonly<Record<"name" | "mindate" | "maxdate", string>>;

/** In milliseconds. */
export const DAY = 86_400_000;

/** Splits a range of days into periods. The first and last may be shorter: of 2024-01-15 to 2024-02-03, January begins on the 15th. */
export function dateWindows(mindate: string, maxdate: string, period: Period): DateWindow[] {
  const windows: DateWindow[] = [];
  for (let from = mindate; from <= maxdate; ) {
    const { begin, end } = periodOf(Date.parse(from), period);
    const last = new Date(Date.parse(end) - DAY).toISOString().slice(0, 10);
    windows.push({ name: periodName(begin, period), mindate: from, maxdate: last < maxdate ? last : maxdate });
    from = end;
  }
  return windows;
}

const ISO_TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?:(?<=\.\d{6})0+)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Normalizes a timestamp for polars, with seconds and an offset. A date alone means midnight; a missing offset means UTC. Returns
 * `undefined` for any other string, and for timestamps finer than a microsecond, the precision of a column.
 * @example
 * parseTimestamp("2024-04-27"); //=> "2024-04-27T00:00:00Z"
 * parseTimestamp("2024-02-30"); //=> undefined
 * parseTimestamp("2024-04-27T00:00:00.1234567Z"); //=> undefined
 */
export function parseTimestamp(text: string): string | undefined {
  const match = ISO_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day, time = "00:00:00", offset = "Z"] = match as unknown as [string, string, string?, string?];
  const normalized = `${day}T${time.length === 5 ? `${time}:00` : time}${offset}`;
  // Date.parse turns 30 February into 1 March, so the day is checked separately.
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists && time.slice(0, 2) !== "24" && !Number.isNaN(Date.parse(normalized)) ? normalized : undefined;
}

/**
 * The milliseconds since 1970 of a time in text, UTC unless it has an offset; null for anything else, such as "5". pandas and SQL write a
 * space before the time.
 */
export function timeOf(text: string): number | null {
  const timestamp = parseTimestamp(text.replace(/^([\d-]{10}) /, "$1T"));
  return timestamp === undefined ? null : Date.parse(timestamp);
}
