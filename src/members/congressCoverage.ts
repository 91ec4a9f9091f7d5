import { warn } from "../errors/warn.js";
import { type CongressDates, congressDates, ordinal } from "../util/congress.js";
import type { Term } from "./legislator.js";
import type { Legislators } from "./legislators.js";

/** What data about members knows of a Congress. */
export interface CongressCoverage {
  /** Members of the data who sat in the Congress. */
  readonly members: number;
  /** Whether everyone is known who sat in the Congress; null if the data does not say, as for files. */
  readonly complete: boolean | null;
}

/** Members of a Congress since 1959, successors not counted: 100 senators, 435 representatives and up to six delegates. */
const ABOUT = 540;

/** The file with the members who are missing. */
export const HISTORICAL =
  'Load legislators-historical.yaml of the project congress-legislators with loadLegislators(["legislators-historical.yaml", "legislators-current.yaml"]), and give it as legislators.';

/** Whether a term is in a Congress. It ends on the first day of the next one. */
export function isWithin({ start, end }: Term, { mindate, maxdate }: CongressDates): boolean {
  return start <= maxdate && end > mindate;
}

/** What the data knows of a Congress. */
export function congressCoverage({ source, members }: Legislators, congress: number): CongressCoverage {
  const { completeSince, sittingOnly } = source;
  const dates = congressDates(congress);
  const known = members.filter(({ terms }) => terms.some((term) => isWithin(term, dates))).length;
  if (completeSince === null) return { members: known, complete: sittingOnly ? false : null };
  return { members: known, complete: completeSince <= dates.mindate };
}

/** Warns about a Congress that ended before the data is complete. */
export function warnOfCoverage(legislators: Legislators, congress: number): void {
  const { completeSince, source } = legislators.source;
  if (completeSince === null || congressDates(congress).maxdate >= completeSince) return;
  const { members } = congressCoverage(legislators, congress);
  warn(
    "FEW_MEMBERS",
    `members knows ${members} of about ${ABOUT} members of the ${ordinal(congress)} Congress: ${source} has those who sat on ${completeSince} or later. ${HISTORICAL}`,
  );
}
