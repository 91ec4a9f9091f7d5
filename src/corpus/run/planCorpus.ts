import type { ClientContext } from "../../call/clientContext.js";
import { invalid } from "../../errors/validators.js";
import { sha256Of } from "../../util/hash.js";
import { byCodeUnit } from "../../util/lists.js";
import { formatCount, pluralize } from "../../util/text.js";
import { withCorpus } from "../withCorpus.js";
import { CorpusRun } from "./corpusRun.js";
import { checkRunOptions, type FailedSearch, type RunOptions } from "./runOptions.js";

/** Options of `plan`. */
export interface PlanOptions extends RunOptions {
  /** The requests that your key allows, for the minutes: `"25/s"`, `"1000/h"`, `"20000/d"`. */
  quota?: string | undefined;
}

/** What a build will take. */
export interface CorpusPlan {
  /** Windows that were missing. */
  readonly windows: number;
  /** How many of them the plan has fetched: they are in the corpus. */
  readonly counted: number;
  /** HTTP requests that the plan has sent. */
  readonly sent: number;
  /** Rows of the windows that were missing. An estimate unless all were fetched. */
  readonly rows: number;
  /** Requests that are left to send, without lookups: an estimate, probably between `low` and `high`. */
  readonly requests: number;
  /** Two standard errors less. */
  readonly low: number;
  /** Two standard errors more. */
  readonly high: number;
  /** Minutes for these requests under `quota`; null without one. */
  readonly minutes: number | null;
  /** Searches that failed, with their errors. */
  readonly failed: readonly FailedSearch[];
  /** The plan in one line. */
  readonly text: string;
}

const SAMPLE_WINDOWS = 20;
const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** Fetches a random sample of the windows that are due, and estimates the others by their mean. */
export async function planCorpus(dir: string, client: ClientContext, options?: PlanOptions): Promise<CorpusPlan> {
  const checked = checkRunOptions(options, "plan", ["quota"]);
  const perMinute = checkQuota(options?.quota);
  const { plan } = await withCorpus(dir, client, "plan", async (corpus) => {
    const run = new CorpusRun(corpus, client, checked);
    const groups = await run.dueGroups();
    // Hashes give a random order that is always the same.
    const sample = [...groups]
      .sort(([a], [b]) => byCodeUnit(sha256Of(a.key), sha256Of(b.key)))
      .slice(0, SAMPLE_WINDOWS);
    const result = await run.execute(() => run.fetchAll(sample));
    const statistics = await corpus.database.one<Record<"counted" | "rows" | "mean" | "variance", number>>(
      `select count(*)::int as counted, coalesce(avg(rows), 0) as rows, coalesce(avg(requests), 1) as mean, coalesce(var_samp(requests), 0) as variance
        from (select request, any_value(rows) as rows, any_value(requests) as requests from windows where run = ${corpus.run} group by request)`,
    );
    const { counted, mean } = statistics;
    const remaining = groups.length - counted;
    // Fetched windows need no estimate.
    const error = counted === 0 ? 0 : Math.sqrt((statistics.variance * remaining * groups.length) / counted);
    const numbers = {
      windows: groups.flat().length,
      counted,
      sent: result.requests,
      rows: Math.round(statistics.rows * groups.length),
      requests: Math.round(mean * remaining),
      low: Math.max(remaining, Math.floor(mean * remaining - 2 * error)),
      high: Math.ceil(mean * remaining + 2 * error),
      minutes: perMinute === undefined ? null : (mean * remaining) / perMinute,
    };
    const text = planText(numbers, corpus.definition.lookups);
    return { ...result, plan: { ...numbers, failed: result.failed, text } };
  });
  return plan;
}

/** The requests per minute of a quota. */
function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (MINUTES[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

function planText(plan: Omit<CorpusPlan, "text" | "failed">, lookups: readonly string[]): string {
  const { windows, counted, rows, requests, low, high, minutes } = plan;
  const interval = low === high ? "" : ` (${formatCount(low)} to ${formatCount(high)})`;
  const more = lookups.length === 0 ? "" : `, without the lookups of ${lookups.join(" and ")}`;
  const time = minutes === null ? "" : `, ${minutes.toFixed(minutes < 10 ? 1 : 0)} minutes under the quota`;
  const how = `${formatCount(counted)} of ${pluralize(windows, "window")} fetched with ${pluralize(plan.sent, "request")}`;
  return `${formatCount(rows)} rows, ${pluralize(requests, "request")} left${interval}${more}${time}; ${how}`;
}
