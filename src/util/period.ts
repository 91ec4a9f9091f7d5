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
      return days([year, month, day], [year, month, day + 1]);
    case "week":
      return days([year, month, monday], [year, month, monday + 7]);
    case "month":
      return days([year, month, 1], [year, month + 1, 1]);
    case "quarter":
      return days([year, month - (month % 3), 1], [year, month - (month % 3) + 3, 1]);
    case "year":
      return days([year, 0, 1], [year + 1, 0, 1]);
    case "congress": {
      const congress = congressOn(text([year, month, day]));
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

function days(begin: Day, end: Day): PeriodDays {
  return { begin: text(begin), end: text(end) };
}

function text([year, month, day]: Day): string {
  // Date.UTC maps years below 100 to the 20th century.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.toISOString().replace(/T.*/, "");
}
