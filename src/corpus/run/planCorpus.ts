import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError } from "../../errors/index.js";
import { boolean, invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { toRecords } from "../../frames/toRecords.js";
import { RequestBudget } from "../../service/http/requester.js";
import { RowCounter } from "../../service/paging/countRows.js";
import { type Page, pageRows } from "../../service/paging/page.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { sha256Of } from "../../util/sha256Of.js";
import { sum } from "../../util/sum.js";
import type { Definition, Lookup } from "../definition/definition.js";
import { byRequest, type Group, type Window, windowId } from "../definition/windows.js";
import { searchesTable } from "../publish/searchesTable.js";
import type { CorpusState } from "../state/corpusState.js";
import { askedByRefresh, pendingOf, windowsAsked } from "../state/rounds.js";
import { fetchWindow, openJournals } from "./fetchWindow.js";
import type { Journals } from "./journals.js";
import { type DueOptions, ID_COLUMNS, knownIds, NO_ID } from "./lookUp.js";
import { RunLog } from "./runLog.js";
import {
  type CheckedRunOptions,
  type CorpusSummary,
  checkRefresh,
  checkRunOptions,
  failedSearches,
  type RunOptions,
} from "./runOptions.js";
import { isCommon, RunRecorder } from "./runRecorder.js";
import { ServiceClock } from "./serviceClock.js";
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
  /** With `refresh`: see {@link RefreshOptions}. */
  lookupAge?: string | undefined;
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
  /** Searches that failed, with their errors. They are left out of the estimate. */
  readonly failed: CorpusSummary["failed"];
  /** One row per search and window: labels, `rows` and `requests` if they were counted, and whether it is `done`. */
  readonly searches: PolarsFrame;
}

/** A plan may send this many requests or this share of the build's, and stops when its interval is within {@link PRECISION}. */
const MIN_SENT = 20;
const SHARE = 0.05;
const PRECISION = 0.1;
/** The minimum of windows to count, and requests to fetch one completely. */
const MIN_COUNTED = 10;
const WHOLE = 3;
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };
/** Requests of earlier runs that are enough to know their rate. */
const MIN_RATED = 20;

/** The requests of a quota per minute. */
function checkQuota(quota: unknown): number | undefined {
  if (quota === undefined) return undefined;
  const [, number, unit = ""] = (typeof quota === "string" && /^(\d{1,9})\/([smhd])$/.exec(quota.trim())) || [];
  if (Number(number) > 0) return Number(number) / (UNITS[unit] as number);
  throw invalid("quota", quota, 'Give requests per second, minute, hour or day, for example quota: "1000/h".');
}

/** Counts some of the missing windows, and estimates what a build will take. */
export function planCorpus(dir: string, live: ClientContext, given: PlanOptions | undefined): Promise<CorpusPlan> {
  const options = checkRunOptions(given, "plan", ["quota", "exact", "refresh", "lag", "lookupAge"]);
  const isExact = boolean("exact", given?.exact ?? false);
  const isRefresh = boolean("refresh", given?.refresh ?? false);
  const ages = checkRefresh({ lag: given?.lag, lookupAge: given?.lookupAge });
  const quota = checkQuota(given?.quota);
  return withCorpus(dir, live, async (state, definition) => {
    const began = performance.now();
    const isNew = isRefresh && (state.round.closed || state.asked.length === 0);
    const clock = new ServiceClock(0);
    const client = { ...live, requester: clock.watching(live.requester) };
    const today = () => live.recorded?.last ?? clock.today();
    let day = today();
    let windows = windowsOn(day, state, definition, isNew ? ages.lag : undefined);
    // Windows that the plan has fetched as a whole enter the round that a build or refresh begins.
    const journals = openJournals(client, state.work, state.round.round + (isNew || state.round.closed ? 1 : 0));
    const sample = new Sample(state, client, options, journals);
    const log = new RunLog(state, "plan", journals);
    await log.begin();
    let code: string | null = null;
    try {
      for (const table of definition.lookups)
        await sample.addLookups(table, isRefresh ? { today: day, lookupAge: ages.lookupAge, asked: windows } : {});
      // The service may say that it is another day than this computer does.
      while (!(await sample.count(windows, isExact, () => today() === day))) {
        day = today();
        windows = windowsOn(day, state, definition, isNew ? ages.lag : undefined);
      }
    } catch (error) {
      code = (error as { code?: string }).code ?? "UNKNOWN";
      throw error;
    } finally {
      journals.close();
      if (clock.isKnown && client.recorded === undefined) await clock.save(state);
      const verdict = code === null ? "complete" : "stopped";
      sample.recorder.end(verdict, code);
      await log.end({ requests: sample.sent, verdict, reason: code });
    }
    const { sent, counts } = sample;
    const estimate = sample.estimate();
    const earlier = quota === undefined ? await earlierRate(state) : undefined;
    const own = sent > 0 ? sent / ((performance.now() - began) / 60_000) : undefined;
    const rates = { quota, "earlier runs": earlier, plan: own };
    const [minutesBy, perMinute] = Object.entries(rates).find(([, rate]) => rate !== undefined) ?? [null];
    return {
      windows: windows.length,
      counted: windows.filter(({ key }) => counts.has(key)).length,
      sent,
      ...estimate,
      minutes: perMinute === undefined ? null : estimate.requests / perMinute,
      minutesBy: minutesBy as CorpusPlan["minutesBy"],
      failed: failedSearches(definition, sample.failures),
      searches: await planTable(state, definition, windows, counts),
    };
  });
}

/**
 * The windows that a build or refresh asks that begins on a day.
 *
 * @param lag undefined for a build
 */
function windowsOn(day: string, state: CorpusState, definition: Definition, lag: number | undefined): Window[] {
  const { window, until } = definition;
  const isOther = (window !== undefined && day < until) || (lag !== undefined && day > until);
  const own = isOther ? { ...definition, until: day } : definition;
  return lag === undefined ? pendingOf(state, own) : windowsAsked(own, askedByRefresh(state, own, lag));
}

/** Requests per minute of earlier builds and refreshes. */
async function earlierRate(state: CorpusState): Promise<number | undefined> {
  const { requests, minutes } = await state.one<{ requests: number | null; minutes: number | null }>(
    "select sum(requests)::int as requests, sum(epoch(ended) - epoch(began)) / 60 as minutes from runs where verb in ('build', 'refresh') and ended is not null",
  );
  return Number(requests) >= MIN_RATED && Number(minutes) > 0 ? Number(requests) / Number(minutes) : undefined;
}

/** What was counted of a request: its rows, the requests for all of it, and those that are left. */
type Count = Readonly<Record<"rows" | "requests" | "left", number>>;

/** Ids that lookups would ask for: in how many of the counted windows each is. */
interface SeenIds {
  readonly column: string;
  /** Ids that are in the table, or in mentions. */
  readonly known: ReadonlySet<string>;
  readonly windows: Map<string, number>;
}

class Sample {
  /** By the key of a window. */
  readonly counts = new Map<string, Count>();
  readonly recorder: RunRecorder;
  readonly #ids: SeenIds[] = [];
  /** The errors of searches that failed. They are not estimated. */
  readonly failures = new Map<string, ArchiveError>();
  groups: readonly Group[] = [];
  #rowsSeen = 0;
  /** Lookups for mentions that have landed. */
  #due = 0;

  constructor(
    readonly state: CorpusState,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
    readonly journals: Journals,
  ) {
    const request = { operation: "mentions", path: "/mentions", query: [["query", "plan"]] } as const;
    this.recorder = new RunRecorder(client, request, options.progress);
  }

  get sent(): number {
    return this.recorder.sum().requests;
  }

  /** Adds the lookups of a table to the estimate. */
  async addLookups(table: Lookup, options: DueOptions): Promise<void> {
    const { found, due } = await knownIds(this.state, table, options);
    this.#due += due.length;
    this.#ids.push({ column: ID_COLUMNS[table], known: new Set([...found, ...due]), windows: new Map() });
  }

  /**
   * Counts windows in random order until the estimate is precise enough or the requests are used up.
   *
   * @param isValid whether these are the windows still
   * @returns false if not
   */
  async count(windows: readonly Window[], isExact: boolean, isValid: () => boolean): Promise<boolean> {
    this.groups = byRequest(windows).filter((group) => !this.#isLeftOut(group));
    const keys = new Set(windows.map(({ key }) => key));
    for (const key of [...this.counts.keys()].filter((one) => !keys.has(one))) {
      this.counts.delete(key);
      this.journals.forget(key);
    }
    const { maxRequests = Number.POSITIVE_INFINITY } = this.options.budget ?? {};
    const order = ([{ key }]: Group) => sha256Of(key);
    const shuffled = this.groups.map((group) => [order(group), group] as const).sort(([a], [b]) => byCodeUnit(a, b));
    for (const [, group] of shuffled) {
      if (!isValid()) return false;
      if (this.#isLeftOut(group) || this.counts.has(group[0].key)) continue;
      const { requests, low, high } = this.estimate();
      if (!isExact && this.counts.size >= MIN_COUNTED && (high - low) / 2 <= PRECISION * requests) break;
      const most = isExact ? maxRequests : Math.min(maxRequests, Math.max(MIN_SENT, SHARE * low));
      if (this.sent + 1 > most) break;
      await this.#countOne(group[0], most).catch((error: unknown) => this.#leaveOut(group, error));
    }
    return isValid();
  }

  /** A search that fails does not stop the others. */
  #leaveOut(group: Group, error: unknown): void {
    if (!(error instanceof ArchiveError) || isCommon(error) || error.code === "OUT_OF_REQUESTS") throw error;
    for (const { search } of group) this.failures.set(search.id, error);
    for (const one of this.groups) if (this.#isLeftOut(one)) this.counts.delete(one[0].key);
    this.groups = this.groups.filter((one) => !this.#isLeftOut(one));
  }

  #isLeftOut(group: Group): boolean {
    return group.every(({ search }) => this.failures.has(search.id));
  }

  async #countOne(window: Window, most: number): Promise<void> {
    const { client, options, state, journals } = this;
    const { signal } = options;
    const { scratch, round } = state;
    const ids = this.#ids.map(() => new Set<string>());
    const onPage = (page: Page) => {
      this.recorder.onPage();
      this.#note(pageRows(page), ids);
    };
    const recorder = this.recorder.add(window.request);
    try {
      const budget = new RequestBudget(Math.min(WHOLE, most - this.sent));
      const reading = await fetchWindow(client, window, {
        scratch,
        journals,
        round: round.round,
        reading: 1,
        recorder,
        budget,
        signal,
        onPage,
      });
      if (reading === undefined) await this.#countRest(window, recorder.pages, most);
      else this.counts.set(window.key, { rows: reading.rows, requests: reading.requests, left: 0 });
    } finally {
      this.recorder.release(recorder);
      for (const [at, { windows }] of this.#ids.entries())
        for (const id of ids[at] ?? []) windows.set(id, (windows.get(id) ?? 0) + 1);
    }
  }

  /** @param pages that the build need not fetch, but for the last one */
  async #countRest({ key, request }: Window, pages: number, most: number): Promise<void> {
    const { requester, redact, output } = this.client;
    const { signal } = this.options;
    const left = Math.floor(most - this.sent);
    if (left < 1) return;
    const { pageSize } = output;
    const recorder = this.recorder.add(request);
    try {
      const asked = { requester, recorder, redact, pageSize, budget: new RequestBudget(left), signal };
      const counter = new RowCounter(request, { ...asked, onPage: () => this.recorder.onPage() });
      const count = await counter.count().finally(() => counter.close());
      if (count.verdict === "at least") return;
      const requests = Math.ceil(count.rows / (counter.pageRows ?? pageSize.full)) + 1;
      this.counts.set(key, { rows: count.rows, requests, left: requests - Math.max(0, pages - 1) });
    } finally {
      this.recorder.release(recorder);
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
  estimate() {
    const pages = estimatePages([...this.counts.values()], this.groups.length);
    const isWhole = this.counts.size === this.groups.length && this.#rowsSeen >= pages.rows;
    const lookups = this.#ids.map(({ windows }) =>
      estimateLookups([...windows.values()], pages.rows / Math.max(1, this.#rowsSeen), isWhole),
    );
    const total = (name: keyof (typeof lookups)[number]) => this.#due + sum(lookups.map((one) => one[name]));
    return {
      rows: pages.rows,
      requests: Math.round(pages.requests + total("found")),
      low: Math.floor(pages.low + total("few")),
      high: Math.ceil(pages.high + total("many")),
      lookups: Math.round(total("found")),
    };
  }
}

/** The rows and requests of all windows, from those that were counted: a simple random sample. */
function estimatePages(counts: readonly Count[], total: number) {
  const counted = counts.length;
  if (counted === 0) return { rows: 0, requests: total, low: total, high: total };
  const unseen = total - counted;
  const left = sum(counts.map((count) => count.left));
  const mean = sum(counts.map(({ requests }) => requests)) / counted;
  const variance = sum(counts.map(({ requests }) => (requests - mean) ** 2)) / Math.max(1, counted - 1);
  // Student's t, about; and a window that is unlike all that were counted.
  const spread =
    (2 + 4 / counted) * Math.sqrt((variance * unseen * total) / counted) + (unseen * Math.max(1, mean)) / counted;
  const rows = Math.round((sum(counts.map((count) => count.rows)) / counted) * total);
  const requests = left + mean * unseen;
  return { rows, requests, low: Math.max(left + unseen, requests - spread), high: requests + spread };
}

/**
 * Different ids in all rows, at least and at most. Their number grows like a power of the rows, whose exponent is the share of ids that one
 * window alone has, and gets smaller. At least those of Chao (1984): what is missing follows from how many are in one and in two windows.
 *
 * @param times in how many of the counted windows each id is
 * @param ratio all rows to those that were seen
 */
function estimateLookups(times: readonly number[], ratio: number, isWhole: boolean) {
  const ids = times.length;
  if (ids === 0 || isWhole) return { found: ids, few: ids, many: ids };
  const [once = 0, twice = 0] = [1, 2].map((count) => times.filter((one) => one === count).length);
  const more = Math.max(1, ratio);
  const many = ids * more ** Math.min(1, once / ids + 1 / Math.sqrt(ids));
  const chao = Math.min(many, ids + ((once * (once - 1)) / (2 * (twice + 1))) * (1 - 1 / more));
  return { found: (many + chao) / 2, few: Math.min(chao, ids + (many - ids) / 4), many };
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
