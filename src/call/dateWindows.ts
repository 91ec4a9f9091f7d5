import { type Period, periodName, periodOf } from "../util/period.js";

export interface DateWindow {
  /** The Congress ("117"), year ("2024"), quarter ("2024-Q1"), month ("2024-03"), Monday of the week, or day ("2024-03-04"). */
  readonly name: string;
  /** First day, yyyy-mm-dd. */
  readonly mindate: string;
  /** Last day, yyyy-mm-dd. */
  readonly maxdate: string;
}

/** In milliseconds. */
export const DAY = 86_400_000;

/** Splits a range of days into periods. The first and last may be shorter: of 2024-01-15 to 2024-02-03, January begins on the 15th. */
export function dateWindows(mindate: string, maxdate: string, unit: Period): DateWindow[] {
  const windows: DateWindow[] = [];
  for (let from = mindate; from <= maxdate; ) {
    const { begin, end } = periodOf(Date.parse(from), unit);
    const last = new Date(Date.parse(end) - DAY).toISOString().slice(0, 10);
    windows.push({ name: periodName(begin, unit), mindate: from, maxdate: last < maxdate ? last : maxdate });
    from = end;
  }
  return windows;
}
