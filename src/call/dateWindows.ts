/** A length of time by which days are grouped. Weeks begin on Monday. */
export type DateUnit = "year" | "month" | "week" | "day";

/** The units, the longest first. */
export const DATE_UNITS: readonly DateUnit[] = ["year", "month", "week", "day"];

/** A part of a range of days. */
export interface DateWindow {
  /** The year ("2024"), the month ("2024-03"), the Monday of the week, or the day ("2024-03-04"). */
  readonly name: string;
  /** First day, yyyy-mm-dd. */
  readonly mindate: string;
  /** Last day, yyyy-mm-dd. */
  readonly maxdate: string;
}

const DAY = 86_400_000;

/**
 * Splits a range of days by unit. The first and the last window may be shorter than the unit.
 *
 * @param mindate first day, yyyy-mm-dd
 * @param maxdate last day, yyyy-mm-dd
 * @example
 * dateWindows("2024-01-15", "2024-02-03", "month");
 * //=> [{ name: "2024-01", mindate: "2024-01-15", maxdate: "2024-01-31" },
 * //    { name: "2024-02", mindate: "2024-02-01", maxdate: "2024-02-03" }]
 */
export function dateWindows(mindate: string, maxdate: string, unit: DateUnit): DateWindow[] {
  const windows: DateWindow[] = [];
  for (let from = mindate; from <= maxdate; ) {
    const next = startOfNext(from, unit);
    const last = dayText(next - DAY);
    windows.push({ name: nameOf(from, unit), mindate: from, maxdate: last < maxdate ? last : maxdate });
    from = dayText(next);
  }
  return windows;
}

function startOfNext(day: string, unit: DateUnit): number {
  const at = new Date(`${day}T00:00:00Z`);
  if (unit === "year") return Date.UTC(at.getUTCFullYear() + 1, 0);
  if (unit === "month") return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
  return at.getTime() + (unit === "day" ? 1 : 7 - daysSinceMonday(at)) * DAY;
}

function nameOf(day: string, unit: DateUnit): string {
  if (unit === "year") return day.slice(0, 4);
  if (unit === "month") return day.slice(0, 7);
  const at = new Date(`${day}T00:00:00Z`);
  return unit === "day" ? day : dayText(at.getTime() - daysSinceMonday(at) * DAY);
}

function daysSinceMonday(at: Date): number {
  return (at.getUTCDay() + 6) % 7;
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
