import { faulty } from "../errors/validators.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { type Period, type PeriodDays, periodOf } from "../util/period.js";

/** By day, these are 27 years. Results contain every period, empty ones too. */
const MAX_PERIODS = 10_000;

/** All periods from the earliest to the latest time, empty ones included. */
export function periodsOf(times: readonly number[], by: Period): readonly PeriodDays[] {
  if (times.length === 0) return [];
  const latest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const earliest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const periods = [periodOf(earliest, by)];
  for (let last = periods[0] as PeriodDays; Date.parse(last.end) <= latest; periods.push(last)) {
    last = periodOf(Date.parse(last.end), by);
    if (periods.length === MAX_PERIODS) {
      const hint = "Give a longer period, for example year, or filter the frame first.";
      throw faulty("by", `"${by}". The timestamps span more than 10,000 periods`, hint);
    }
  }
  return periods;
}

/**
 * The first and the last day that a search asked for, as far as it covers them, in milliseconds since 1970. Searches return the newest
 * rows first, so an incomplete result does not cover the first day; nothing covers days after the request.
 */
export function askedRange(provenance: Provenance | undefined): readonly number[] {
  if (provenance === undefined) return [];
  const { parameters, verdict, lastResponseAt } = provenance;
  const { mindate, maxdate } = parameters;
  const until = Math.min(dayOf(maxdate), lastResponseAt === null ? Number.NaN : Date.parse(lastResponseAt));
  return [verdict === "complete" ? dayOf(mindate) : Number.NaN, until].filter((day) => !Number.isNaN(day));
}

const DAY = 86_400_000;

/**
 * Whether a result can cover only a part of a period: the period began before `mindate` or before the earliest row of an incomplete
 * result, or it ended after `maxdate` or after the day of the request.
 * @param earliest the time of the earliest row
 */
export function isPartial({ begin, end }: PeriodDays, provenance: Provenance | undefined, earliest: number): boolean {
  if (provenance === undefined) return false;
  const { mindate, maxdate } = provenance.parameters;
  const [from, until] = [dayOf(mindate), dayOf(maxdate)];
  const asked = provenance.lastResponseAt === null ? Number.NaN : Date.parse(provenance.lastResponseAt);
  // Searches return the newest rows first. A comparison with NaN is false.
  if (provenance.verdict !== "complete" && Date.parse(begin) < earliest) return Date.parse(end) > earliest;
  return Date.parse(begin) < from || Date.parse(end) > until + DAY || Date.parse(end) > asked;
}

function dayOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value.slice(0, 10)) : Number.NaN;
}
