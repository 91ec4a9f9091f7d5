import { ArchiveError } from "../errors/index.js";
import { timeOf } from "../frames/typeFlags.js";
import type { RequestBudget } from "../service/http/requester.js";
import { type ArchiveRequest, withParameter } from "../service/operations/request.js";
import type { RowCounter } from "../service/paging/countRows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { type Period, periodName, periodOf } from "../util/period.js";
import type { Count, CountGroup } from "./callOptions.js";
import { DAY } from "./requestsByPeriod.js";

/** A group of a count, and the search for it. */
export interface GroupSearch {
  readonly group: number | string;
  readonly request: ArchiveRequest;
}

/** A search whose rows are counted by group. */
export interface GroupedSearch {
  readonly request: ArchiveRequest;
  readonly by: CountGroup;
  readonly groups: readonly GroupSearch[];
  readonly budget: RequestBudget | undefined;
  /** Makes the counter of a search; `onRows` gets the pages that it reads by cursor. */
  readonly counterOf: (request: ArchiveRequest, onRows?: (page: Page) => void) => RowCounter;
}

/** No time zone differs more from UTC. */
const MAX_OFFSET = 14 * 3_600_000;
/** Not all rows can be reached, but those of a group perhaps can. */
const UNREACHABLE = new Set<string>(["UNKNOWN_CURSOR", "CURSOR_CIRCLES", "OUT_OF_REQUESTS"]);

/**
 * Counts the groups of a search from its rows, if it takes no more requests to fetch them than to count each group. Returns undefined if it
 * takes more, or if the rows do not say to which group they belong.
 */
export async function countFromRows(search: GroupedSearch): Promise<readonly Count[] | undefined> {
  if (search.groups.length < 2) return undefined;
  try {
    return search.by === "personid" ? await countBySpeaker(search) : await countByPeriod(search, search.by);
  } catch (error) {
    if (error instanceof ArchiveError && UNREACHABLE.has(error.code)) return undefined;
    throw error;
  }
}

async function countBySpeaker({ request, groups, counterOf }: GroupedSearch): Promise<readonly Count[] | undefined> {
  // A public id is not in the rows.
  if (!groups.every(({ group }) => /^[1-9]\d*$/.test(String(group)))) return undefined;
  const speakers: string[] = [];
  const counter = counterOf(request, (page) => {
    for (const { personid } of pageRows(page)) speakers.push(String(personid ?? ""));
  });
  // The search of all speakers may have far more rows than theirs, each of which takes a request at least.
  const isComplete = await counter.read(groups.length).finally(() => counter.close());
  return isComplete && !speakers.includes("") ? countsOf(groups, speakers, true) : undefined;
}

async function countByPeriod(search: GroupedSearch, by: Period): Promise<readonly Count[] | undefined> {
  const { request, groups, counterOf, budget } = search;
  const times: Array<number | null> = [];
  const counter = counterOf(request, (page) => {
    for (const { begintime } of pageRows(page)) times.push(timeOf(String(begintime)));
  });
  const isComplete = await readIfCheap(counter, groups.length).finally(() => counter.close());
  const { mindate = "", maxdate = "" } = Object.fromEntries(request.query);
  const isInRange = (time: number | null): time is number =>
    time !== null && time >= Date.parse(mindate) && time < Date.parse(maxdate) + DAY;
  if (!times.every(isInRange)) return undefined;
  const isExact = isComplete && (await areDaysUtc(search, by, times));
  if (!isExact && budget?.isUsedUp !== true) return undefined;
  const nameOf = (time: number) => periodName(periodOf(time, by).begin, by);
  const isCertain = (time: number) => nameOf(time - MAX_OFFSET) === nameOf(time + MAX_OFFSET);
  return countsOf(groups, (isExact ? times : times.filter(isCertain)).map(nameOf), isExact);
}

/** Reads all rows if that takes no more requests than counting the groups. Returns whether it has. */
async function readIfCheap(counter: RowCounter, groups: number): Promise<boolean> {
  const { rows, verdict } = await counter.count();
  if (verdict === "at least") return false;
  const pages = rows / (counter.pageRows ?? Number.POSITIVE_INFINITY);
  const perGroup = pages / groups;
  const requests = groups * (perGroup <= 2 ? Math.ceil(perGroup) + 1 : 6 + 1.5 * Math.log2(perGroup));
  // Without page numbers, the count has read them all.
  return pages <= requests && counter.read(Number.POSITIVE_INFINITY);
}

/**
 * Whether the service puts the rows into the same periods as their times in UTC. In another time zone, days begin earlier or later, and
 * the rows nearest to the boundary of two periods are the first to change sides: the service counts one side of it.
 */
async function areDaysUtc(
  { request, counterOf }: GroupedSearch,
  by: Period,
  times: readonly number[],
): Promise<boolean> {
  const { mindate = "", maxdate = "" } = Object.fromEntries(request.query);
  let after = { distance: MAX_OFFSET, boundary: "" };
  let before = after;
  for (const time of times) {
    const { begin, end } = periodOf(time, by);
    const [sinceBegin, untilEnd] = [time - Date.parse(begin), Date.parse(end) - time];
    if (begin > mindate && sinceBegin < after.distance) after = { distance: sinceBegin, boundary: begin };
    if (end <= maxdate && untilEnd < before.distance) before = { distance: untilEnd, boundary: end };
  }
  for (const boundary of new Set([after.boundary, before.boundary].filter((day) => day !== ""))) {
    const split = Date.parse(boundary);
    const early = times.filter((time) => time < split).length;
    const isEarly = 2 * early <= times.length;
    const lastDay = new Date(split - DAY).toISOString().slice(0, 10);
    const side = isEarly ? withParameter(request, "maxdate", lastDay) : withParameter(request, "mindate", boundary);
    const counter = counterOf(side);
    const { rows, verdict } = await counter.count().finally(() => counter.close());
    if (verdict !== "exact" || rows !== (isEarly ? early : times.length - early)) return false;
  }
  return true;
}

/** @param names the group of each row */
function countsOf(groups: readonly GroupSearch[], names: readonly string[], isExact: boolean): readonly Count[] {
  const rowsOf = new Map<string, number>();
  for (const name of names) rowsOf.set(name, (rowsOf.get(name) ?? 0) + 1);
  const outcome: Pick<Count, "verdict" | "reason"> = isExact
    ? { verdict: "exact", reason: null }
    : { verdict: "at least", reason: "maxRequests" };
  return groups.map(({ group }) => Object.freeze({ rows: rowsOf.get(String(group)) ?? 0, ...outcome, requests: 0 }));
}
