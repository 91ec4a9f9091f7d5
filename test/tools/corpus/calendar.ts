import { congressDates } from "../../../src/util/congress.js";

export { congressDates };

export const DAY = 86_400;

/** The Congresses of the corpus, oldest first. */
export const CONGRESSES: readonly number[] = [112, 113, 114, 115, 116, 117, 118, 119];

/** The last broadcast day, in seconds since 1970. */
const CORPUS_END = Date.UTC(2026, 5, 26) / 1000;

/** First and last broadcast day of a Congress, in seconds since 1970 at midnight UTC. */
export function sittingDays(congress: number): { first: number; last: number } {
  const { mindate, maxdate } = congressDates(congress);
  return { first: secondsOf(mindate) + 2 * DAY, last: Math.min(secondsOf(maxdate) - DAY, CORPUS_END) };
}

function secondsOf(day: string): number {
  return Date.parse(day) / 1000;
}

export function isWeekend(seconds: number): boolean {
  // 1970-01-01 was a Thursday.
  const weekday = (Math.floor(seconds / DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}

/** Seconds since 1970 in the format of the service. //=> "2024-04-27T02:35:35Z" */
export function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}
