import { createHash } from "node:crypto";
import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { toRecords } from "../frames/toRecords.js";
import { declaredShape } from "../pages/rows.js";
import { RequestBudget } from "../service/http/requester.js";
import { operations } from "../service/operations/operations.js";
import { countRows } from "../service/paging/countRows.js";
import { openPage, pageRows } from "../service/paging/page.js";
import type { Definition } from "./definition/definition.js";
import { type Window, windowsOf } from "./definition/windows.js";
import { PageEnds } from "./raw/fetchWindow.js";
import { type Landing, readLandings } from "./raw/landing.js";
import { pendingOf, readRounds } from "./raw/rounds.js";
import { directoryStorage } from "./raw/storage.js";
import type { CheckedRunOptions, RunOptions } from "./runOptions.js";
import { searchesTable } from "./tables/searchesTable.js";
import { LOOKED_UP, readTable } from "./tables/table.js";
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

/** What was counted of a window. */
interface Count {
  readonly rows: number;
  readonly requests: number;
}

/** A plan may send so many requests, or this share of the build's. */
const MIN_SENT = 20;
const SHARE = 0.05;
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** The requests of a quota per minute. */
export function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (UNITS[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

/** Counts some of the missing windows, and estimates what a build will take. Nothing of it enters the build. */
export function planCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions & { readonly perMinute: number | undefined; readonly isExact: boolean },
): Promise<CorpusPlan> {
  return withCorpusLock(dir, client, async (definition) => {
    const storage = directoryStorage(dir);
    const landings = await readLandings(storage);
    const { windows } = pendingOf(definition, landings, await readRounds(storage));
    const output = { ...client.output, progress: options.progress ?? client.output.progress };
    const query = [["query", "plan"]] as const;
    const combined = new CombinedRecorder({ ...client, output }, { operation: "mentions", path: "/mentions", query });
    const sample = new Sample(dir, client, definition, combined, options);
    const began = performance.now();
    let failure: unknown;
    try {
      await sample.count(windows);
    } catch (error) {
      failure = error;
    }
    const code = failure === undefined ? undefined : ((failure as { code?: string }).code ?? "unknown");
    combined.end(combined.total.rows, [], code);
    if (failure !== undefined) throw failure;
    const perMinute =
      options.perMinute ?? (sample.sent > 0 ? sample.sent / ((performance.now() - began) / 60_000) : undefined);
    const estimate = sample.estimate(windows.length);
    const minutes = perMinute === undefined ? null : estimate.requests / perMinute;
    const searches = planTable(dir, definition, landings, windows, sample.counts);
    return { windows: windows.length, counted: sample.counts.size, sent: sample.sent, ...estimate, minutes, searches };
  });
}

class Sample {
  readonly counts = new Map<string, Count>();
  readonly #ends = new PageEnds();
  readonly #budget: RequestBudget | undefined;
  /** Ids that lookups would ask for, by table: of how many rows, and how often. */
  readonly #ids: Map<string, Map<string, number>>;
  readonly #known = new Map<string, ReadonlySet<string>>();
  #rowsSeen = 0;
  sent = 0;

  constructor(
    dir: string,
    readonly client: ClientContext,
    definition: Definition,
    readonly combined: CombinedRecorder,
    readonly options: CheckedRunOptions & { readonly isExact: boolean },
  ) {
    this.#budget = options.budget;
    this.#ids = new Map(definition.lookups.map((name) => [name, new Map()]));
    for (const name of definition.lookups)
      this.#known.set(name, new Set((readTable(dir, name)?.getColumn("id").toArray() ?? []).map(String)));
  }

  async count(windows: readonly Window[]): Promise<void> {
    const { isExact } = this.options;
    if (isExact) {
      await pMap(windows, (window) => this.#countOne(window, Number.POSITIVE_INFINITY), {
        concurrency: this.client.concurrency,
      });
      return;
    }
    // In an order that has nothing to do with their content.
    const order = (window: Window) => createHash("sha256").update(window.key).digest("hex");
    const shuffled = windows.map((window) => [order(window), window] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, window] of shuffled) {
      const most = Math.max(MIN_SENT, SHARE * this.estimate(windows.length).low);
      if (this.sent + 1 > most || this.#budget?.isUsedUp) return;
      await this.#countOne(window, most - this.sent);
    }
  }

  async #countOne(window: Window, most: number): Promise<void> {
    const { client, combined, options } = this;
    const { pageSize } = client.output;
    const recorder = combined.add(window.request);
    const before = this.#budget;
    const own = Number.isFinite(most) ? new RequestBudget(Math.floor(most)) : undefined;
    const budget =
      before === undefined ? own : own === undefined || before.maxRequests < own.maxRequests ? before : own;
    const { signal } = options;
    const { requester, redact } = client;
    const onPage = () => combined.onPage();
    try {
      const limited = [...window.request.query, ["limit", String(pageSize)]] as Array<[string, string]>;
      const context = { ...recorder.context, budget, signal, pagination: { rows: 1 } };
      const response = await requester.request(window.request.path, limited, context);
      recorder.addResponse(response);
      const page = openPage(response, window.request, declaredShape(operations.mentions.columns), redact);
      recorder.pages++;
      onPage();
      const rows = page.tape.rows;
      this.#note(pageRows(page));
      if (rows === 0 || this.#ends.isEnd(rows, pageSize)) this.#set(window, rows, pageSize);
      else {
        const count = await countRows(window.request, {
          requester,
          recorder,
          redact,
          pageSize,
          budget,
          signal,
          onPage,
        });
        if (count.verdict !== "at least") {
          this.#ends.observe(count.rows % (count.pageRows ?? pageSize), true);
          this.#set(window, count.rows, count.pageRows ?? Math.max(rows, 1));
        }
      }
    } catch (error) {
      if ((error as { code?: string }).code !== "OUT_OF_REQUESTS") throw error;
    } finally {
      this.sent += recorder.requests;
    }
  }

  #set({ key }: Window, rows: number, size: number): void {
    const confirmed = this.options.confirmEnd && rows > 0 ? 1 : 0;
    this.counts.set(key, { rows, requests: Math.max(1, Math.ceil(rows / size)) + confirmed });
  }

  #note(rows: ReadonlyArray<Readonly<Record<string, unknown>>>): void {
    this.#rowsSeen += rows.length;
    for (const [table, ids] of this.#ids)
      for (const row of rows) {
        const id = String(row[LOOKED_UP[table as "people"].column] ?? "");
        if (!/^(0|-.*|\s*)$/.test(id) && !this.#known.get(table)?.has(id)) ids.set(id, (ids.get(id) ?? 0) + 1);
      }
  }

  /** Extrapolates to all windows. */
  estimate(total: number): Pick<CorpusPlan, "rows" | "requests" | "low" | "high" | "lookups"> {
    const counts = [...this.counts.values()];
    const counted = counts.length;
    if (counted === 0) return { rows: 0, requests: total, low: total, high: total, lookups: 0 };
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
    const mean = sum(counts.map(({ requests }) => requests)) / counted;
    const variance = sum(counts.map(({ requests }) => (requests - mean) ** 2)) / Math.max(1, counted - 1);
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
      low: Math.round(Math.max(sum(counts.map(({ requests }) => requests)) + unseen, pages - spread) + few),
      high: Math.round(pages + (unseen === 0 ? 0 : spread) + many),
      lookups: Math.round(found),
    };
  }

  /**
   * Different ids in so many rows, by how many were seen once and twice (Chao 1984), at least and at most: their number grows like a power of
   * the rows, whose exponent is the share of ids that were seen once, and gets smaller.
   */
  #lookups(rows: number): [number, number, number] {
    let [found, few, many] = [0, 0, 0];
    for (const ids of this.#ids.values()) {
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
  const rows = toRecords(table).map(({ search, window, rows: landed }) => {
    const key = byName.get(`${search} ${window}`);
    if (key === undefined) return { rows: Number(landed), requests: 0, done: true };
    const { rows = null, requests = null } = counts.get(key) ?? {};
    return { rows, requests, done: false };
  });
  const column = (name: keyof (typeof rows)[number], dtype: PolarsFrame["dtypes"][number]) =>
    pl.Series(
      name,
      rows.map((row) => row[name]),
      dtype,
    );
  return table
    .drop("rows", "verdict", "reason", "requests", "retrieved")
    .withColumns(column("rows", pl.Int64), column("requests", pl.Int64), column("done", pl.Bool));
}
