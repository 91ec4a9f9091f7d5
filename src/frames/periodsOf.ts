import { ValidationError } from "../errors/index.js";
import { type Period, type PeriodDays, periodOf } from "../util/period.js";

/** By day, these are 27 years. Results contain every period, empty ones too. */
const MAX_PERIODS = 10_000;

/**
 * All periods from the earliest to the latest time, empty ones included.
 *
 * @param times milliseconds since 1970
 * @throws ValidationError for more than 10,000 periods
 */
export function periodsOf(times: readonly number[], by: Period): readonly PeriodDays[] {
  if (times.length === 0) return [];
  const latest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const earliest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const periods = [periodOf(earliest, by)];
  for (let last = periods[0] as PeriodDays; Date.parse(last.end) <= latest; periods.push(last)) {
    last = periodOf(Date.parse(last.end), by);
    if (periods.length === MAX_PERIODS) {
      throw new ValidationError(`invalid by: "${by}". The timestamps span more than 10,000 periods.`, {
        hint: "Give a longer period, for example year, or filter the frame first.",
        parameter: "by",
      });
    }
  }
  return periods;
}
