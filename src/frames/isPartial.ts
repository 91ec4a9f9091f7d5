import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { PeriodDays } from "../util/period.js";

const DAY = 86_400_000;

/**
 * Whether a result can cover only a part of a period: the period began before `mindate` or before the earliest row of an incomplete
 * result, or it ended after `maxdate` or after the day of the request.
 *
 * @param provenance where the rows come from; undefined if that is unknown, and then no period is partial
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
