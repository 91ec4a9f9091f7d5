import type { RequestBudget } from "../service/http/requester.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { isUnreachable } from "../service/paging/countRows.js";
import { pageRows } from "../service/paging/page.js";
import { groupBy } from "../util/groupBy.js";
import { type Period, periodName, periodOf } from "../util/period.js";
import { timeOf } from "../util/timestamp.js";
import type { Count } from "./callOptions.js";
import { DAY } from "./dateWindows.js";
import type { CounterOf } from "./withCounters.js";

/** Counting a period takes two requests or more: a page, and one that confirms its end. */
const PAGES_PER_PERIOD = 2;

/**
 * Counts the periods of a search from its rows, if it takes no more requests to fetch them than to count each period. Returns undefined if
 * it takes more, or if the time of a row is missing or outside of the days of the search, which are taken to be in UTC.
 */
export async function countFromRows(
  request: ArchiveRequest,
  by: Period,
  names: readonly string[],
  counterOf: CounterOf,
  budget: RequestBudget | undefined,
): Promise<readonly Count[] | undefined> {
  if (names.length < 2) return undefined;
  const times: number[] = [];
  const counter = counterOf(request, (page) => {
    for (const { begintime } of pageRows(page)) times.push(timeOf(String(begintime)) ?? Number.NaN);
  });
  const read = counter.read(PAGES_PER_PERIOD * names.length).catch((error: unknown) => {
    // Not all rows can be reached, but those of a period perhaps can.
    if (!isUnreachable(error)) throw error;
  });
  const isComplete = await read.finally(() => counter.close());
  const { mindate = "", maxdate = "" } = Object.fromEntries(request.query);
  const isInRange = (time: number) => time >= Date.parse(mindate) && time < Date.parse(maxdate) + DAY;
  if (!times.every(isInRange) || !(isComplete || budget?.isUsedUp)) return undefined;
  const rows = groupBy(times, (time) => periodName(periodOf(time, by).begin, by));
  const end = isComplete
    ? ({ verdict: "exact", reason: null } as const)
    : ({ verdict: "at least", reason: "maxRequests" } as const);
  return names.map((name) => ({ rows: rows.get(name)?.length ?? 0, ...end, requests: 0 }));
}
