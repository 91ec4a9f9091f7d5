import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { rowsBytes } from "../../pages/rows.js";
import { RowCounter } from "../../service/paging/countRows.js";
import type { Page } from "../../service/paging/page.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { formatCount, pluralize } from "../../util/counts.js";
import { sha256Of } from "../../util/sha256Of.js";
import { sum } from "../../util/sum.js";
import { withCorpus } from "../withCorpus.js";
import { CorpusRun, type Group } from "./corpusRun.js";
import { checkRunOptions, type FailedSearch, type RunOptions } from "./runOptions.js";
import { isCommon } from "./runRecorder.js";

/** Options of `plan`. */
export interface PlanOptions extends RunOptions {
  /** The requests that your key allows, for the minutes: `"25/s"`, `"1000/h"`, `"20000/d"`. */
  quota?: string | undefined;
}

/**
 * What a build will take.
 *
 * @example
 * const { requests, low, high, minutes } = await corpus.plan({ quota: "1000/h" });
 */
export interface CorpusPlan {
  /** Windows that were missing. */
  readonly windows: number;
  /** How many of them the plan has counted: windows with the same request once. */
  readonly counted: number;
  /** HTTP requests that the plan has sent. Windows that it has read to their end are not fetched again. */
  readonly sent: number;
  /** Rows of the missing windows. An estimate unless all were counted. */
  readonly rows: number;
  /** Requests that are left to send, without lookups: an estimate, probably between `low` and `high`. */
  readonly requests: number;
  /** Two standard errors less. */
  readonly low: number;
  /** Two standard errors more. */
  readonly high: number;
  /** Minutes for these requests under `quota`; null without one. */
  readonly minutes: number | null;
  /** Searches that failed, with their errors. They are left out of the estimate. */
  readonly failed: readonly FailedSearch[];
  /** The plan in one line. */
  readonly text: string;
}

/** Windows to count. */
const SAMPLE = 20;
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** The requests of a quota per minute. */
function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (UNITS[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

/** What was counted of a window: its rows, the requests for all of it, and those that are left. */
type Count = Readonly<Record<"rows" | "requests" | "left", number>>;

/** See `corpus.plan`. */
export function planCorpus(dir: string, client: ClientContext, given: PlanOptions | undefined): Promise<CorpusPlan> {
  const options = checkRunOptions(given, "plan", ["quota"]);
  const perMinute = checkQuota(given?.quota);
  return withCorpus(dir, client, "plan", async (corpus) => {
    const run = new CorpusRun(corpus, client, options);
    const groups = await run.dueGroups();
    // The hash of a request is a random order that is the same every time.
    const shuffled = [...groups].sort(([a], [b]) => byCodeUnit(sha256Of(a.key), sha256Of(b.key)));
    const counts: Count[] = [];
    const result = await run.end(
      async () => {
        for (const group of shuffled) {
          if (counts.length === SAMPLE || options.budget?.isUsedUp) break;
          if (group.some(({ search }) => run.failures.has(search))) continue;
          const count = await countWindow(group, run);
          if (count !== undefined) counts.push(count);
        }
        await run.landing.flush();
      },
      async () => false,
    );
    const left = groups.filter((group) => !group.every(({ search }) => run.failures.has(search)));
    const estimate = estimateRequests(counts, left.length);
    const minutes = perMinute === undefined ? null : estimate.requests / perMinute;
    const numbers = {
      windows: groups.flat().length,
      counted: counts.length,
      sent: result.requests,
      ...estimate,
      minutes,
    };
    return { ...result, plan: { ...numbers, failed: result.failed, text: planText(numbers) } };
  }).then(({ plan }) => plan);
}

/** Counts a window, and lands it if that has read all of its pages. Undefined if its search fails, or the budget is used up. */
async function countWindow(group: Group, run: CorpusRun): Promise<Count | undefined> {
  const { client, options, recorder: all, call } = run;
  const { requester, redact, output } = client;
  const { pageSize } = output;
  const { request } = group[0];
  const recorder = all.add(request);
  const pages: Page[] = [];
  const onPage = (page: Page, isByCursor: boolean) => {
    if (isByCursor && page.tape.rows > 0) pages.push(page);
    all.onPage();
  };
  const common = { requester, recorder, redact, pageSize, budget: options.budget, signal: call.signal, onPage };
  const counter = new RowCounter(request, common);
  try {
    const { rows, verdict } = await counter.count().finally(() => counter.close());
    const isRead = sum(pages.map(({ tape }) => tape.rows)) === rows && verdict === "exact";
    if (isRead) {
      const bytes = sum(pages.map((page) => rowsBytes(page).length));
      const { lastResponseAt, pages: requests } = recorder.provenance();
      const day = String(lastResponseAt).slice(0, 10);
      const counted = { rows, bytes, requests, pageCount: pages.length, ids: new Set<number>(), day };
      await run.landing.add({ uses: group, readings: [{ ...counted, pages, files: [] }] });
      return { rows, requests, left: 0 };
    }
    if (options.budget?.isUsedUp) return undefined;
    const requests = Math.ceil(rows / (counter.pageRows ?? pageSize.full)) + 1;
    return { rows, requests, left: requests };
  } catch (error) {
    if (!(error instanceof ArchiveError) || isCommon(error)) throw error;
    if (error.code !== "OUT_OF_REQUESTS") run.fail(group, error);
    return undefined;
  } finally {
    all.release(recorder);
  }
}

/** The rows and requests of all windows, from a simple random sample: the mean of those that were counted, and two standard errors. */
function estimateRequests(counts: readonly Count[], total: number) {
  const counted = counts.length;
  const left = sum(counts.map((count) => count.left));
  const unseen = total - counted;
  if (counted === 0) return { rows: 0, requests: total, low: total, high: total };
  const mean = sum(counts.map(({ requests }) => requests)) / counted;
  const variance = sum(counts.map(({ requests }) => (requests - mean) ** 2)) / Math.max(1, counted - 1);
  // The windows that were counted are known exactly.
  const error = Math.sqrt((variance * unseen * total) / counted);
  const requests = left + mean * unseen;
  const rows = Math.round((sum(counts.map((count) => count.rows)) / counted) * total);
  const low = Math.max(left + unseen, Math.floor(requests - 2 * error));
  return { rows, requests: Math.round(requests), low, high: Math.ceil(requests + 2 * error) };
}

function planText({
  windows,
  counted,
  rows,
  requests,
  low,
  high,
  minutes,
}: Omit<CorpusPlan, "text" | "failed">): string {
  const interval = low === high ? "" : ` (${formatCount(low)} to ${formatCount(high)})`;
  const time = minutes === null ? "" : `, ${minutes.toFixed(minutes < 10 ? 1 : 0)} minutes under the quota`;
  const how = `${formatCount(counted)} of ${pluralize(windows, "window")} counted`;
  return `${formatCount(rows)} rows, ${pluralize(requests, "request")} left${interval}${time}; ${how}`;
}
