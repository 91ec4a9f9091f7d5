import { faulty } from "../../errors/validators.js";
import { NOT_FINISHED, type Provenance } from "../../service/paging/provenanceRecorder.js";
import { DAY, type Period, type PeriodDays, periodOf } from "../../util/period.js";

/** 27 years of days. Results contain every period, even if it is empty. */
const MAX_PERIODS = 10_000;

/** All periods from the earliest to the latest time. */
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

/** The time range that a result certainly covers, in milliseconds since 1970. */
interface CoveredRange {
  readonly from: number;
  readonly until: number;
}

/** Verbs that keep the first rows, and verbs that may drop them. */
const KEEPS_FIRST = new Set(["head", "limit", "fetch", "fetchSync", "first"]);
const LACKS_FIRST = new Set(["tail", "slice", "last"]);

/** Verbs that keep the order in which the rows were fetched. */
const KEEPS_ORDER = new Set([
  ...[...KEEPS_FIRST, ...LACKS_FIRST, "filter", "where", "unique", "dropNulls", "sample", "sampleRows"],
  ...["select", "drop", "rename", "withColumn", "withColumns", "withColumnRenamed", "withRowIndex", "fillNull"],
  ...["withMembers", "withPeople", "withPrograms", "reairings"],
]);

/**
 * The time range that a result covers. An incomplete result covers the time after its last row if the newest rows come first, and the time
 * before it if the oldest do. In any other order, or after sorting or combining rows, nothing is certain.
 *
 * @param times of the rows, in their order
 */
export function coveredRange(provenance: Provenance | undefined, times: readonly number[]): CoveredRange {
  if (provenance === undefined) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  const { parameters, verdict, reason, lastResponseAt, steps = [] } = provenance;
  const [mindate, maxdate] = [dayOf(parameters.mindate), dayOf(parameters.maxdate)];
  const requested = {
    from: Number.isNaN(mindate) ? Number.NEGATIVE_INFINITY : mindate,
    until: Math.min(...[maxdate + DAY, Date.parse(lastResponseAt ?? "")].filter(Number.isFinite)),
  };
  const shorter = steps.filter(({ rows: [before, after] = [1, 0] }) => before > after);
  const lacksFirst = shorter.some(({ verb }) => LACKS_FIRST.has(verb));
  const isTruncated = lacksFirst || shorter.some(({ verb }) => KEEPS_FIRST.has(verb));
  if (verdict === "complete" && !isTruncated) return requested;
  // Batches of a scan have only the periods of their rows.
  if (reason === NOT_FINISHED) return { ...requested, from: Number.POSITIVE_INFINITY };
  const days = times.filter((time) => !Number.isNaN(time)).map((time) => Math.floor(time / DAY) * DAY);
  const isInOrder = (sign: 1 | -1) => days.every((day, at) => at === 0 || sign * (day - (days[at - 1] as number)) >= 0);
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const isKept = steps.every(({ verb }) => KEEPS_ORDER.has(verb)) && first !== last;
  if (isKept && isInOrder(-1)) return { from: last + DAY, until: lacksFirst ? first : requested.until };
  return isKept && isInOrder(1)
    ? { from: lacksFirst ? first + DAY : requested.from, until: last }
    : { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
}

/** The first and the last day of a search, as far as its result covers them, in milliseconds since 1970. */
export function requestedRange(provenance: Provenance | undefined, { from, until }: CoveredRange): readonly number[] {
  const { mindate, maxdate } = provenance?.parameters ?? {};
  const first = dayOf(mindate);
  return [...(first >= from ? [first] : []), Math.min(dayOf(maxdate), until - 1)].filter(Number.isFinite);
}

/** Whether a result covers a period only in part, or not at all. */
export function isPartial({ begin, end }: PeriodDays, { from, until }: CoveredRange): boolean {
  return Date.parse(begin) < from || Date.parse(end) > until;
}

function dayOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value.slice(0, 10)) : Number.NaN;
}
