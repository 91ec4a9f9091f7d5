import type { Period, PeriodDays } from "../../util/period.js";

/** Labels must not overlap. */
const MAX_LABELS = 10;

/** How many periods apart labels may be, so that they fall on round years, on January, on Mondays. */
const STEPS: Readonly<Record<Period, readonly number[]>> = {
  day: [1, 2, 7, 14, 28, 91, 182, 364, 728, 1820],
  week: [1, 2, 4, 13, 26, 52, 104, 260],
  month: [1, 2, 3, 6, 12, 24, 60, 120, 240],
  year: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
};

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
