import { createHash } from "node:crypto";
import type { ClientContext } from "../../call/clientContext.js";
import { boolean, invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { toRecords } from "../../frames/toRecords.js";
import { RequestBudget } from "../../service/http/requester.js";
import { countRows } from "../../service/paging/countRows.js";
import { type Page, pageRows } from "../../service/paging/page.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { VERSION } from "../../util/version.js";
import type { Definition, Lookup } from "../definition/definition.js";
import { type Window, windowId, windowOf } from "../definition/windows.js";
import { searchesTable } from "../publish/searchesTable.js";
import type { CorpusState } from "../state/corpusState.js";
import { askedByRefresh, pendingOf } from "../state/rounds.js";
import { literal } from "../state/sqlText.js";
import { byRequest, type Group } from "./corpusRun.js";
import { fetchWindow, PageEnds } from "./fetchWindow.js";
import { knownIds, LOOKED_UP, NO_ID } from "./lookUp.js";
import { type Estimate, estimateLookups, estimatePages, type SeenIds } from "./planEstimate.js";
import { type CheckedRunOptions, checkRefresh, checkRunOptions, type RunOptions } from "./runOptions.js";
import { RunRecorder } from "./runRecorder.js";
import { withCorpus } from "./withCorpus.js";

/** Options of `plan`. */
export interface PlanOptions extends RunOptions {
  /** The requests that your key allows: `"25/s"`, `"1000/h"`, `"20000/d"`. Default: the rate of earlier runs, or of the plan. */
  quota?: string | undefined;
  /** Count every window, with several requests each. Default false: a few windows, and an estimate of the others. */
  exact?: boolean | undefined;
  /** Plan a refresh instead of a build. Default false. */
  refresh?: boolean | undefined;
  /** With `refresh`: see {@link RefreshOptions}. */
  lag?: string | undefined;
}

/**
 * What a build or refresh will take.
 *
 * @example
 * const { requests, low, high, minutes } = await corpus.plan({ quota: "1000/h" });
 */
export interface CorpusPlan {
  /** Windows to fetch. */
  readonly windows: number;
  /** How many of them the plan has counted. */
  readonly counted: number;
  /** HTTP requests that the plan has sent. Windows that it has fetched as a whole are not fetched again. */
  readonly sent: number;
  /** Rows of all windows. An estimate unless all were counted. */
  readonly rows: number;
  /** Requests that are left to send, lookups included. An estimate, probably between `low` and `high`. */
  readonly requests: number;
  /** The lower end of the interval. */
  readonly low: number;
  /** The upper end of the interval. */
  readonly high: number;
  /** The lookups of people and programs among them. */
  readonly lookups: number;
  /** Minutes for these requests; null if no rate is known. */
  readonly minutes: number | null;
  /** The rate that the minutes are of: the given "quota", that of "earlier runs", or of the "plan" itself; null if none is known. */
  readonly minutesBy: "quota" | "earlier runs" | "plan" | null;
  /** One row per search and window: labels, `rows` and `requests` if they were counted, and whether it is `done`. */
  readonly searches: PolarsFrame;
}

/** A plan may send so many requests, or this share of the build's, and stops when its interval is within {@link PRECISION}. */
const MIN_SENT = 20;
const SHARE = 0.05;
const PRECISION = 0.1;
/** Windows that it counts at least, and requests to fetch one as a whole. */
const MIN_COUNTED = 10;
const WHOLE = 3;
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };
/** Requests of earlier runs that tell their rate. */
const MIN_RATED = 20;

/** The requests of a quota per minute. */
function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (UNITS[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

/** Counts some of the missing windows, and estimates what a build will take. */
export function planCorpus(dir: string, client: ClientContext, given: PlanOptions | undefined): Promise<CorpusPlan> {
  const options = checkRunOptions(given, "plan", ["quota", "exact", "refresh", "lag"]);
  const isExact = boolean("exact", given?.exact ?? false);
  const isRefresh = boolean("refresh", given?.refresh ?? false);
  const { lag } = checkRefresh({ lag: given?.lag });
  const quota = checkQuota(given?.quota);
  return withCorpus(dir, client, async (state, definition) => {
    const began = performance.now();
    const started = new Date().toISOString();
    const isOpen = state.round?.closed === false;
    const isNew = isRefresh && !(isOpen && state.asked.length > 0);
    const windows = isNew ? await windowsOfRefresh(state, definition, lag) : pendingOf(state, definition);
    const round = isOpen && !isNew ? (state.round?.round ?? 0) : (state.round?.round ?? 0) + 1;
    const sample = new Sample(state, client, options, definition.lookups, round, byRequest(windows));
    let code: string | null = null;
    try {
      await sample.count(isExact);
    } catch (error) {
      code = (error as { code?: string }).code ?? "UNKNOWN";
      throw error;
    } finally {
      sample.end(code);
      await state.database.run(`insert into runs by name (select ${literal(started)}::timestamptz as began, ${literal(new Date().toISOString())}::timestamptz as ended,
        'plan' as verb, ${literal(VERSION)} as version, ${sample.sent} as requests, ${literal(code === null ? "complete" : "stopped")} as verdict, ${literal(code)} as reason)`);
    }
    const { sent, counts } = sample;
    const estimate = sample.estimate();
    const own = sent > 0 ? sent / ((performance.now() - began) / 60_000) : undefined;
    const earlier = quota === undefined ? await earlierRate(state) : undefined;
    const minutesBy =
      quota !== undefined ? "quota" : earlier !== undefined ? "earlier runs" : own !== undefined ? "plan" : null;
    const perMinute = quota ?? earlier ?? own;
    const minutes = perMinute === undefined ? null : estimate.requests / perMinute;
    const searches = await planTable(state, definition, windows, counts);
    return {
      windows: windows.length,
      counted: windows.filter(({ key }) => counts.has(key)).length,
      sent,
      ...estimate,
      minutes,
      minutesBy,
      searches,
    };
  });
}

async function windowsOfRefresh(state: CorpusState, definition: Definition, lag: number): Promise<Window[]> {
  const day = new Date().toISOString().slice(0, 10);
  const later = day > definition.until ? { ...definition, until: day } : definition;
  const searches = new Map(definition.searches.map((search) => [search.id, search]));
  return (await askedByRefresh(state, later, lag)).flatMap(({ search: id, span, mindate, maxdate }) => {
    const search = searches.get(id);
    return search === undefined ? [] : [windowOf(search, span, mindate ?? undefined, maxdate ?? undefined)];
  });
}

/** Requests per minute of earlier builds and refreshes. */
async function earlierRate({ database }: CorpusState): Promise<number | undefined> {
  const { requests, minutes } = await database.one<{ requests: number | null; minutes: number | null }>(
    "select sum(requests)::int as requests, sum(epoch(ended) - epoch(began)) / 60 as minutes from runs where verb <> 'plan' and ended is not null",
  );
  return Number(requests) >= MIN_RATED && Number(minutes) > 0 ? Number(requests) / Number(minutes) : undefined;
}

/** What was counted of a request. */
export interface Count {
  readonly rows: number;
  /** Requests for all of it, and those that are left. */
  readonly requests: number;
  readonly left: number;
}

class Sample {
  /** By the key of a window. */
  readonly counts = new Map<string, Count>();
  readonly #recorder: RunRecorder;
  readonly #ends = new PageEnds();
  readonly #ids: SeenIds[] = [];
  #rowsSeen = 0;

  constructor(
    readonly state: CorpusState,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
    readonly lookups: readonly Lookup[],
    readonly round: number,
    readonly groups: readonly Group[],
  ) {
    const request = { operation: "mentions", path: "/mentions", query: [["query", "plan"]] } as const;
    this.#recorder = new RunRecorder(client, request, options.progress);
  }

  get sent(): number {
    return this.#recorder.sum().requests;
  }

  end(code: string | null): void {
    this.#recorder.end(code === null ? "complete" : "stopped", code);
  }

  /** Counts windows in an order that has nothing to do with their content, until it knows enough or may send no more. */
  async count(isExact: boolean): Promise<void> {
    for (const table of this.lookups)
      this.#ids.push({ column: LOOKED_UP[table].column, known: await knownIds(this.state, table), windows: new Map() });
    const { maxRequests = Number.POSITIVE_INFINITY } = this.options.budget ?? {};
    const order = ([{ key }]: Group) => createHash("sha256").update(key).digest("hex");
    const shuffled = this.groups.map((group) => [order(group), group] as const).sort(([a], [b]) => byCodeUnit(a, b));
    for (const [, [window]] of shuffled) {
      const { requests, low, high } = this.estimate();
      if (!isExact && this.counts.size >= MIN_COUNTED && (high - low) / 2 <= PRECISION * requests) return;
      const most = isExact ? maxRequests : Math.min(maxRequests, Math.max(MIN_SENT, SHARE * low));
      if (this.sent + 1 > most) return;
      await this.#countOne(window, most);
    }
  }

  async #countOne(window: Window, most: number): Promise<void> {
    const { client, options, state, round } = this;
    const { confirmEnd, signal } = options;
    const ids = this.#ids.map(() => new Set<string>());
    const onPage = (page: Page) => {
      this.#recorder.onPage();
      this.#note(pageRows(page), ids);
    };
    const recorder = this.#recorder.add(window.request);
    try {
      const budget = new RequestBudget(Math.min(WHOLE, most - this.sent));
      const { work, scratch } = state.database;
      const given = {
        work,
        scratch,
        round,
        reading: 1,
        recorder,
        budget,
        signal,
        confirmEnd,
        ends: this.#ends,
        onPage,
      };
      const reading = await fetchWindow(client, window, given);
      if (reading !== undefined)
        this.counts.set(window.key, { rows: reading.rows, requests: reading.requests, left: 0 });
      else await this.#countRest(window, recorder.pages, most);
    } finally {
      this.#recorder.release(recorder);
      for (const [at, { windows }] of this.#ids.entries())
        for (const id of ids[at] ?? []) windows.set(id, (windows.get(id) ?? 0) + 1);
    }
  }

  /** @param pages that the build need not fetch, but for the last one */
  async #countRest({ key, request }: Window, pages: number, most: number): Promise<void> {
    const { requester, redact, output } = this.client;
    const left = Math.floor(most - this.sent);
    if (left < 1) return;
    const { pageSize } = output;
    const recorder = this.#recorder.add(request);
    try {
      const asked = {
        requester,
        recorder,
        redact,
        pageSize,
        budget: new RequestBudget(left),
        signal: this.options.signal,
      };
      const count = await countRows(request, { ...asked, onPage: () => this.#recorder.onPage() });
      if (count.verdict === "at least") return;
      const requests = Math.ceil(count.rows / (count.pageRows ?? pageSize.full)) + (this.options.confirmEnd ? 1 : 0);
      this.counts.set(key, { rows: count.rows, requests, left: requests - Math.max(0, pages - 1) });
    } finally {
      this.#recorder.release(recorder);
    }
  }

  #note(rows: ReadonlyArray<Readonly<Record<string, unknown>>>, ids: ReadonlyArray<Set<string>>): void {
    this.#rowsSeen += rows.length;
    for (const [at, { column, known }] of this.#ids.entries())
      for (const row of rows) {
        const id = String(row[column] ?? "");
        if (!NO_ID.test(id) && !known.has(id)) ids[at]?.add(id);
      }
  }

  /** Extrapolates to all windows. */
  estimate(): Estimate {
    const pages = estimatePages([...this.counts.values()], this.groups.length);
    const lookups = this.#ids.map((ids) => estimateLookups(ids, this.#rowsSeen, pages.rows, pages.unseen === 0));
    const total = (of: (one: { found: number; few: number; many: number }) => number) =>
      lookups.reduce((sum, one) => sum + of(one), 0);
    return {
      rows: pages.rows,
      requests: Math.round(pages.requests + total(({ found }) => found)),
      low: Math.floor(pages.low + total(({ few }) => few)),
      high: Math.ceil(pages.high + total(({ many }) => many)),
      lookups: Math.round(total(({ found }) => found)),
    };
  }
}

async function planTable(
  state: CorpusState,
  definition: Definition,
  pending: readonly Window[],
  counts: ReadonlyMap<string, Count>,
): Promise<PolarsFrame> {
  const table = await searchesTable(state, definition);
  const byName = new Map(pending.map(({ key, search, name }) => [windowId(search.id, name), key]));
  const planned = toRecords(table).map(({ search, span, rows }) => {
    const key = byName.get(windowId(String(search), String(span)));
    if (key === undefined) return { rows: Number(rows), requests: 0, done: true };
    const count = counts.get(key);
    return { rows: count?.rows ?? null, requests: count?.left ?? null, done: false };
  });
  const columns = resultFrame([
    ...columnsOf(planned, pl.Int64, "rows", "requests"),
    ...columnsOf(planned, pl.Bool, "done"),
  ]);
  return table
    .drop("rows", "verdict", "reason", "requests", "began", "retrieved", "without_id", "repeated_ids", "round")
    .withColumns(...columns.getColumns());
}
