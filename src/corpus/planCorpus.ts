import { createHash } from "node:crypto";
import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { boolean, invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { toRecords } from "../frames/toRecords.js";
import { RequestBudget } from "../service/http/requester.js";
import { countRows } from "../service/paging/countRows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { sum } from "../util/sum.js";
import type { Definition } from "./definition/definition.js";
import { type Window, windowsOf } from "./definition/windows.js";
import { PageEnds } from "./raw/fetchWindow.js";
import type { Landing } from "./raw/landing.js";
import { readProgress } from "./raw/rounds.js";
import { type CheckedRunOptions, checkRunOptions, type RunOptions } from "./runOptions.js";
import { searchesTable } from "./tables/searchesTable.js";
import { LOOKED_UP, NO_ID, readTable } from "./tables/table.js";
import { withCorpusLock } from "./withCorpusLock.js";

/** Options of `plan`. */
export interface PlanOptions extends RunOptions {
  /** The requests that your key allows: `"25/s"`, `"1000/h"`, `"20000/d"`. Default: the rate of the plan. */
  quota?: string | undefined;
  /** Count every window, with several requests each. Default false: a few windows, and an estimate of the others. */
  exact?: boolean | undefined;
}

/**
 * What a build will take.
 *
 * @example
 * const { requests, low, high, minutes } = await corpus.plan({ quota: "1000/h" });
 */
export interface CorpusPlan {
  /** Windows that a build has to fetch. */
  readonly windows: number;
  /** How many of them the plan has counted. */
  readonly counted: number;
  /** HTTP requests that the plan has sent. */
  readonly sent: number;
  /** Rows that the build will fetch. An estimate unless all windows were counted. */
  readonly rows: number;
  /** Requests that the build will send, lookups included. An estimate, probably between `low` and `high`. */
  readonly requests: number;
  /** The lower end of the interval. */
  readonly low: number;
  /** The upper end of the interval. */
  readonly high: number;
  /** The lookups of people and programs among them. */
  readonly lookups: number;
  /** Minutes for these requests, by the quota or at the rate of the plan; null if there is neither. */
  readonly minutes: number | null;
  /** One row per search and window: labels, `rows` and `requests` if they were counted, and whether it is `done`. */
  readonly searches: PolarsFrame;
}

/** A plan may send so many requests, or this share of the build's. */
const MIN_SENT = 20;
const SHARE = 0.05;
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** The requests of a quota per minute. */
function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (UNITS[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

/** Counts some of the missing windows, and estimates what a build will take. Nothing of it enters the build. */
export function planCorpus(dir: string, client: ClientContext, given: PlanOptions | undefined): Promise<CorpusPlan> {
  const options = checkRunOptions(given, "plan", ["quota", "exact"]);
  const { exact = false } = given ?? {};
  const isExact = boolean("exact", exact);
  const quota = checkQuota(given?.quota);
  return withCorpusLock(dir, client, async (definition) => {
    const { landings, pending } = await readProgress(dir, definition);
    const { windows } = pending;
    const output = { ...client.output, progress: options.progress ?? client.output.progress };
    const query = [["query", "plan"]] as const;
    const combined = new CombinedRecorder({ ...client, output }, { operation: "mentions", path: "/mentions", query });
    const sample = new Sample(dir, client, definition, combined, options);
    const began = performance.now();
    try {
      await (isExact ? sample.countAll(windows) : sample.count(windows));
      combined.end(combined.total.rows, []);
    } catch (error) {
      combined.end(combined.total.rows, [], (error as { code?: string }).code ?? "unknown");
      throw error;
    }
    const { counts, sent } = sample;
    const perMinute = quota ?? (sent > 0 ? sent / ((performance.now() - began) / 60_000) : undefined);
    const estimate = sample.estimate(windows.length);
    const minutes = perMinute === undefined ? null : estimate.requests / perMinute;
    const searches = planTable(dir, definition, landings, windows, counts);
    return { windows: windows.length, counted: counts.size, sent, ...estimate, minutes, searches };
  });
}

/** What was counted of a window. */
interface Count {
  readonly rows: number;
  readonly requests: number;
}

class Sample {
  readonly counts = new Map<string, Count>();
  sent = 0;
  readonly #ends = new PageEnds();
  /** Ids that lookups would ask for, by table: of how many rows. */
  readonly #ids: ReadonlyArray<{ column: string; known: ReadonlySet<string>; times: Map<string, number> }>;
  #rowsSeen = 0;

  constructor(
    dir: string,
    readonly client: ClientContext,
    { lookups }: Definition,
    readonly combined: CombinedRecorder,
    readonly options: CheckedRunOptions,
  ) {
    this.#ids = lookups.map((table) => {
      const known = new Set((readTable(dir, table)?.getColumn("id").toArray() ?? []).map(String));
      return { column: LOOKED_UP[table].column, known, times: new Map() };
    });
  }

  async countAll(windows: readonly Window[]): Promise<void> {
    const { concurrency } = this.client;
    await pMap(windows, (window) => this.#countOne(window, this.options.budget), { concurrency });
  }

  /** Counts windows in an order that has nothing to do with their content, as long as it may send requests. */
  async count(windows: readonly Window[]): Promise<void> {
    const { maxRequests = Number.POSITIVE_INFINITY } = this.options.budget ?? {};
    const order = (window: Window) => createHash("sha256").update(window.key).digest("hex");
    const shuffled = windows.map((window) => [order(window), window] as const).sort(([a], [b]) => byCodeUnit(a, b));
    for (const [, window] of shuffled) {
      const most = Math.min(maxRequests, Math.max(MIN_SENT, SHARE * this.estimate(windows.length).low));
      if (this.sent + 1 > most) return;
      await this.#countOne(window, new RequestBudget(Math.floor(most - this.sent)));
    }
  }

  async #countOne({ key, request }: Window, budget: RequestBudget | undefined): Promise<void> {
    const { client, combined, options } = this;
    const { requester, redact, output } = client;
    const { pageSize } = output;
    const recorder = combined.add(request);
    let first: number | undefined;
    const onPage = (page: Page) => {
      combined.onPage();
      if (first === undefined) this.#note(pageRows(page));
      first ??= page.tape.rows;
    };
    const isEnd = (rows: number) => this.#ends.isEnd(rows, pageSize.full);
    const { signal } = options;
    try {
      const asked = { requester, recorder, redact, pageSize, budget, signal, onPage, isEnd };
      const count = await countRows(request, asked);
      if (count.verdict === "at least") return;
      const { rows } = count;
      const size = count.pageRows ?? (first || 1);
      this.#ends.observe(rows % (count.pageRows ?? pageSize.full), true);
      const confirmed = options.confirmEnd && rows > 0 ? 1 : 0;
      this.counts.set(key, { rows, requests: Math.max(1, Math.ceil(rows / size)) + confirmed });
    } finally {
      this.sent += recorder.requests;
    }
  }

  #note(rows: ReadonlyArray<Readonly<Record<string, unknown>>>): void {
    this.#rowsSeen += rows.length;
    for (const { column, known, times } of this.#ids)
      for (const row of rows) {
        const id = String(row[column] ?? "");
        if (!NO_ID.test(id) && !known.has(id)) times.set(id, (times.get(id) ?? 0) + 1);
      }
  }

  /** Extrapolates to all windows. */
  estimate(total: number): Pick<CorpusPlan, "rows" | "requests" | "low" | "high" | "lookups"> {
    const counts = [...this.counts.values()];
    const counted = counts.length;
    if (counted === 0) return { rows: 0, requests: total, low: total, high: total, lookups: 0 };
    const requests = sum(counts.map((count) => count.requests));
    const mean = requests / counted;
    const variance = sum(counts.map((count) => (count.requests - mean) ** 2)) / Math.max(1, counted - 1);
    const unseen = total - counted;
    // Student's t, about; and a window that is unlike all that were counted.
    const spread =
      (2 + 4 / counted) * Math.sqrt((variance * unseen * total) / counted) + (unseen * Math.max(1, mean)) / counted;
    const rows = Math.round((sum(counts.map((count) => count.rows)) / counted) * total);
    const [found, few, many] = this.#lookups(rows);
    const pages = mean * total;
    return {
      rows,
      requests: Math.round(pages + found),
      low: Math.round(Math.max(requests + unseen, pages - spread) + few),
      high: Math.round(pages + spread + many),
      lookups: Math.round(found),
    };
  }

  /**
   * Different ids in so many rows, by how many were seen once and twice (Chao 1984), at least and at most: their number grows like a power of
   * the rows, whose exponent is the share of ids that were seen once, and gets smaller.
   */
  #lookups(rows: number): [number, number, number] {
    let [found, few, many] = [0, 0, 0];
    for (const { times: ids } of this.#ids) {
      const times = [...ids.values()];
      const [once, twice] = [1, 2].map((count) => times.filter((one) => one === count).length) as [number, number];
      const growth = ids.size > 0 ? Math.max(1, rows / this.#rowsSeen) ** (once / ids.size) : 1;
      const most = ids.size * growth;
      few += ids.size;
      many += most;
      found += Math.min(most, ids.size + (once * (once - 1)) / (2 * (twice + 1)));
    }
    return [found, few, many];
  }
}

function planTable(
  dir: string,
  definition: Definition,
  landings: readonly Landing[],
  pending: readonly Window[],
  counts: ReadonlyMap<string, Count>,
): PolarsFrame {
  const table = searchesTable(dir, definition, windowsOf(definition), landings);
  const byName = new Map(pending.map(({ key, search, name }) => [`${search.id} ${name}`, key]));
  const planned = toRecords(table).map(({ search, window, rows }) => {
    const key = byName.get(`${search} ${window}`);
    if (key === undefined) return { rows: Number(rows), requests: 0, done: true };
    return { rows: null, requests: null, ...counts.get(key), done: false };
  });
  const columns = resultFrame([
    ...columnsOf(planned, pl.Int64, "rows", "requests"),
    ...columnsOf(planned, pl.Bool, "done"),
  ]);
  return table.drop("rows", "verdict", "reason", "requests", "retrieved").withColumns(...columns.getColumns());
}
