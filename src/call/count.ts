import pMap from "p-map";
import { faulty, oneOf } from "../errors/validators.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { RequestBudget } from "../service/http/requester.js";
import { operationNamed, SEARCHES, takes } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { pageRows } from "../service/paging/page.js";
import { isUnreachable } from "../service/paging/rowCounter.js";
import { groupBy, sum } from "../util/lists.js";
import { DAY, dateWindows, PERIODS, type Period, periodName, periodOf, timeOf } from "../util/period.js";
import { type Count, checkedBudget } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { type CounterOf, withCounters } from "./combinedRecorder.js";
import { checkCall, warnOfNoRows } from "./execution.js";

const OPTIONS = ["signal", "unchecked", "engine", "by", "maxRequests"];

/** Runs `archive.count`. Its arguments are those of the public method. */
export async function count(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Count | FrameTypes[Engine]> {
  const name = operationNamed(operation, SEARCHES);
  const call = checkCall(name, query, options, client.output, OPTIONS);
  const { request, engine } = call;
  const budget = checkedBudget(options.maxRequests);
  const by = options.by == null ? undefined : oneOf("by", options.by, PERIODS);
  if (by !== undefined && !takes(name, "mindate"))
    throw faulty("by", `${name} have no days to count by`, "Leave it out, or count mentions.");
  const periods = by === undefined ? [] : searchesBy(by, request, options.unchecked);

  return withCounters(client, call, budget, async (combined, counterOf) => {
    const countOne = async (search: ArchiveRequest): Promise<Count> => {
      const counter = counterOf(search);
      const count = await counter.count().finally(() => counter.close());
      return Object.freeze({ ...count, requests: counter.options.recorder.requests });
    };
    const end = (counts: readonly Count[]) => {
      combined.end({ capped: counts.find(({ verdict }) => verdict !== "exact")?.reason });
      const provenance = combined.provenance(name, { ...Object.fromEntries(request.query), ...(by && { by }) });
      // The rows that were counted, most of them unseen.
      return { ...provenance, rows: sum(counts.map(({ rows }) => rows)) };
    };
    if (by === undefined) {
      const count = await countOne(request);
      if (count.rows === 0 && count.verdict === "exact") warnOfNoRows(request);
      return setProvenance(count, end([count]));
    }
    const names = periods.map((period) => period.name);
    // With a budget, the order of the responses must not affect what is counted.
    const concurrency = budget === undefined ? client.concurrency : 1;
    const counts =
      (await countFromRows(request, by, names, counterOf, budget)) ??
      (await pMap(periods, (period) => countOne(period.request), { concurrency }));
    const provenance = end(counts);
    // Requests for several periods together count in the first, so that the column sums to the total.
    const sharedRequests = provenance.requests - sum(counts.map(({ requests }) => requests));
    const rows = counts.map((count, at) => {
      const period = by === "congress" ? Number(names[at]) : names[at];
      return { [by]: period, ...count, requests: count.requests + (at === 0 ? sharedRequests : 0) };
    });
    return setProvenance(toDataFrame(rows, { engine }), provenance);
  });
}

/** A search for each period of the days of a request. */
function searchesBy(by: Period, { operation, query }: ArchiveRequest, unchecked: unknown) {
  const parameters = Object.fromEntries(query);
  const { mindate, maxdate } = parameters;
  if (mindate === undefined || maxdate === undefined) {
    const hint =
      'Give the first and the last day of mentions, for example mindate: "2024-01-01", maxdate: "2024-12-31", or congress: 117.';
    throw faulty("by", `"${by}" needs mindate and maxdate`, hint);
  }
  return dateWindows(mindate, maxdate, by).map(({ name, ...days }) => {
    return { name, request: buildRequest(operation, { ...parameters, unchecked, ...days }) };
  });
}

/** Requests to count one period, at least: a page, and one that confirms its end. */
const REQUESTS_PER_PERIOD = 2;

/**
 * Counts the periods of a search from its rows. Returns undefined if fetching them takes more requests than counting each period, or if a
 * row has no time or one outside of the days of the search in UTC.
 */
async function countFromRows(
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
  const reading = counter.read(REQUESTS_PER_PERIOD * names.length).catch((error: unknown) => {
    // The rows of each period may be reachable even if those of the whole search are not.
    if (!isUnreachable(error)) throw error;
  });
  const isComplete = await reading.finally(() => counter.close());
  const { mindate = "", maxdate = "" } = Object.fromEntries(request.query);
  const isInRange = (time: number) => time >= Date.parse(mindate) && time < Date.parse(maxdate) + DAY;
  if (!times.every(isInRange) || !(isComplete || budget?.isUsedUp)) return undefined;
  const rows = groupBy(times, (time) => periodName(periodOf(time, by).begin, by));
  const end = isComplete
    ? ({ verdict: "exact", reason: null } as const)
    : ({ verdict: "at least", reason: "maxRequests" } as const);
  return names.map((name) => ({ rows: rows.get(name)?.length ?? 0, ...end, requests: 0 }));
}
