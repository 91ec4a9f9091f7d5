import { type Period, periodName, periodOf } from "../util/period.js";

/** A period, named as in {@link periodName}, with its first and its last day. */
export type DateWindow = Readonly<Record<"name" | "mindate" | "maxdate", string>>;

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
