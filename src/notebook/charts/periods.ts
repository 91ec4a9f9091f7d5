import { ValidationError } from "../../errors/index.js";
import { type Period, type PeriodDays, periodOf } from "./period.js";

/** Every period is stored in the notebook, empty ones too. By day, these are 27 years. */
const MAX_PERIODS = 10_000;

/** Labels must not overlap. */
const MAX_LABELS = 10;

/** How many periods apart labels may be, so that they fall on round years, on January, on Mondays. */
const STEPS: Readonly<Record<Period, readonly number[]>> = {
  day: [1, 2, 7, 14, 28, 91, 182, 364, 728, 1820],
  week: [1, 2, 4, 13, 26, 52, 104, 260],
  month: [1, 2, 3, 6, 12, 24, 60, 120, 240],
  year: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
};

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

/** The middle of a period in milliseconds since 1970. */
export function middleOf({ begin, end }: PeriodDays): number {
  return (Date.parse(begin) + Date.parse(end)) / 2;
}

/** The periods to label: at most ten, at equal distances. */
export function labeledPeriods(periods: readonly PeriodDays[], by: Period): readonly PeriodDays[] {
  const step = STEPS[by].find((each) => periods.length / each <= MAX_LABELS) ?? Math.ceil(periods.length / MAX_LABELS);
  const isLabeled = ({ begin }: PeriodDays, at: number) => {
    const [year = 0, month = 0] = begin.split("-").map(Number);
    if (by === "year") return year % step === 0;
    return by === "month" ? (12 * year + month - 1) % step === 0 : at % step === 0;
  };
  return periods.filter(isLabeled);
}
