import { readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { APIError, ArchiveError, abortedError } from "../../errors/index.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { CallSignal } from "../../util/callSignal.js";
import { sum } from "../../util/sum.js";
import { type Definition, writeDefinition } from "../definition/definition.js";
import {
  byRequest,
  type Group,
  middleDay,
  type Window,
  windowId,
  windowOf,
  windowsOf,
  withHalves,
} from "../definition/windows.js";
import { publishTables } from "../publish/publishTables.js";
import type { CorpusState } from "../state/corpusState.js";
import { contentOf } from "../state/land.js";
import { askedByRefresh, beginRound, closeRound, pendingOf } from "../state/rounds.js";
import { sqlValue } from "../state/sqlText.js";
import { openJournals, type Reading } from "./fetchWindow.js";
import type { Journals } from "./journals.js";
import { LandingQueue } from "./landingQueue.js";
import { lookUp, missingLookups } from "./lookUp.js";
import { RunLog } from "./runLog.js";
import { type CheckedRefresh, type CheckedRunOptions, type CorpusSummary, failedSearches } from "./runOptions.js";
import { isCommon, RunRecorder } from "./runRecorder.js";
import { ServiceClock } from "./serviceClock.js";
import { agree, WindowReader } from "./windowReader.js";
import { withCorpus } from "./withCorpus.js";

/** Names that a run does not delete from `work/`. */
const KEPT = /^(?:readers|run-\w+|responses-\d+)$/;

/**
 * Fetches what is missing, lands it, looks up what its mentions refer to, and publishes the tables. One run at a time can write to a corpus.
 *
 * @param refresh undefined for a build
 * @throws ArchiveError `TARGET_BUSY` if another run is writing; or a failure that concerns all searches
 */
export function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  refresh?: CheckedRefresh,
): Promise<CorpusSummary> {
  return withCorpus(dir, client, async (state, definition) => {
    const clock = new ServiceClock(client.recorded === undefined ? Number((await state.meta("clock")) ?? 0) : 0);
    const watched = { ...client, requester: clock.watching(client.requester) };
    return new CorpusRun(state, watched, definition, options, clock, refresh).run();
  });
}

/** Milliseconds after which a refresh does not begin with the pages of a plan. */
const MAX_AGE = 86_400_000;

/** One run over the windows of a corpus. */
class CorpusRun {
  readonly #recorder: RunRecorder;
  readonly #call: CallSignal;
  #log!: RunLog;
  readonly #failures = new Map<string, ArchiveError>();
  #reader!: WindowReader;
  /** Rows of the windows that were fetched, whether they have landed or wait for it. */
  readonly #fetched = new Map<string, number>();
  readonly #landing: LandingQueue;
  #journals!: Journals;
  /** The windows of the definition. */
  #wholes: ReadonlyMap<string, Window> = new Map();
  #hasMoved = false;
  /** The searches that this run asks. */
  readonly #asked = new Set<string>();
  /** The day of what it finds, yyyy-mm-dd. */
  #day = "";
  /** When it began the round of a refresh, by the clock of this computer. */
  #refreshed: number | undefined;

  constructor(
    readonly state: CorpusState,
    readonly client: ClientContext,
    public definition: Definition,
    readonly options: CheckedRunOptions,
    readonly clock: ServiceClock,
    readonly refresh: CheckedRefresh | undefined,
  ) {
    const query = [["query", basename(resolve(state.dir))]] as const;
    const request = { operation: "mentions", path: "/mentions", query } as const;
    this.#recorder = new RunRecorder(client, request, options.progress);
    this.#call = new CallSignal([options.signal, client.output.host.signal]);
    this.#landing = new LandingQueue(state, (keys) => this.#forget(...keys));
  }

  async run(): Promise<CorpusSummary> {
    this.#define(this.definition);
    await this.#begin();
    let failure: unknown;
    try {
      const fetched = await this.#fetchAll().catch((error: unknown) => ({ error }));
      await this.#landing.flush();
      if (this.#pending.every(({ search }) => this.#failures.has(search.id))) await closeRound(this.state);
      if (fetched !== undefined) throw fetched.error;
      await this.#lookUp();
    } catch (error) {
      failure = error;
    } finally {
      this.#journals.close();
    }
    const summary = await this.#end(failure);
    if (failure !== undefined) throw failure;
    return summary;
  }

  get #pending(): Window[] {
    return pendingOf(this.state, this.definition);
  }

  /** Begins a round, unless one is to be continued. */
  async #begin(): Promise<void> {
    const { state, clock, client, refresh } = this;
    const day = (refresh && client.recorded?.last) ?? client.recorded?.first ?? clock.today();
    const isNew = refresh !== undefined && (state.round.closed || state.asked.length === 0);
    if (isNew) {
      if (day > this.definition.until) this.#define({ ...this.definition, until: day });
      if (client.recorded === undefined) this.#refreshed = Date.now();
      await beginRound(state, day, askedByRefresh(state, this.definition, refresh.lag));
    } else if (state.round.closed && this.#pending.length > 0) await beginRound(state, day, []);
    // What is left of a round has its day: a recording replays with the same one.
    const [last] = await state.rows<{ verdict: string | null }>(
      "select verdict from runs where verb in ('build', 'refresh') order by began desc limit 1",
    );
    this.#day = state.round.closed && last?.verdict === "complete" ? day : state.round.day || day;
    const pending = this.#pending;
    for (const { search } of pending) this.#asked.add(search.id);
    const keys = new Set(pending.map(({ key }) => key));
    for (const name of readdirSync(state.work))
      if (!KEPT.test(name)) rmSync(join(state.work, name), { recursive: true, force: true });
    this.#journals = openJournals(client, state.work, state.round.round);
    const [journals, recorder, landing, { signal }] = [this.#journals, this.#recorder, this.#landing, this.#call];
    this.#reader = new WindowReader(state, client, this.options, { journals, recorder, landing, signal });
    this.#log = new RunLog(state, refresh === undefined ? "build" : "refresh", this.#journals);
    await this.#log.begin();
    // What a plan has fetched days ago may have changed since.
    const isOld = (key: string) => isNew && Date.now() - Date.parse(this.#journals.of(key).begunAt ?? "") > MAX_AGE;
    const current = [...keys].filter((key) => !isOld(key));
    this.#journals.forgetOthers(new Set([...current, ...this.definition.lookups]));
  }

  /** Forgets the journals of what has landed, or is not asked any more: after their requests are counted, as a file goes with its responses. */
  async #forget(...keys: readonly string[]): Promise<void> {
    await this.#log.record({ requests: this.#recorder.sum().requests });
    for (const key of keys) this.#journals.forget(key);
  }

  /**
   * Fetches the missing windows.
   *
   * @throws ArchiveError of a failure that concerns all searches
   */
  async #fetchAll(): Promise<void> {
    const { budget } = this.options;
    // Resuming a window takes two requests: its last page again, and the next one.
    const most = budget === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(budget.maxRequests / 2));
    const concurrency = Math.min(this.client.concurrency, most);
    try {
      do {
        this.#hasMoved = false;
        const groups = byRequest(this.#pending);
        const begun = groups.filter(([{ key }]) => this.#journals.has(key));
        await pMap(new Set([...begun, ...groups]), (group) => this.#fetch(group), { concurrency });
        await this.#landing.flush();
        this.#catchUp();
      } while (this.#hasMoved && !this.#call.signal.aborted);
    } catch (error) {
      this.#call.abort();
      throw error;
    }
    const { aborted, reason } = this.#call.signal;
    // No request may have been under way.
    const abort = aborted && this.#pending.length > 0 ? abortedError(undefined, reason) : undefined;
    const stopped = [...this.#failures.values()].find(isCommon) ?? abort;
    if (stopped !== undefined) throw stopped.advise(this.#advice());
  }

  /** Fetches one request for all windows that need it. */
  async #fetch(group: Group): Promise<void> {
    const { options, clock } = this;
    const [window] = group;
    if (this.#call.signal.aborted || options.budget?.isUsedUp) return;
    if (group.every(({ search }) => this.#failures.has(search.id)) || (await this.#isAhead(window))) return;
    try {
      const readings = await this.#reader.read(group);
      if (readings === undefined) return;
      if (await this.#isAhead(window)) return await this.#forget(window.key);
      const last = readings.at(-1) as Reading;
      const reason = last.pageCount <= 1 || agree(readings) ? null : "not shown to be stable";
      const uses = group.map((use) => this.#wholes.get(windowId(use.search.id, use.name)) ?? use);
      const fetched = {
        ...{ window, uses, rows: last.rows, repeatedIds: last.repeatedIds, reason },
        requests: sum(readings.map(({ requests }) => requests)),
        began: clock.at((readings[0] as Reading).first).slice(0, 10),
        retrieved: clock.at(last.last).slice(0, 10),
        sha: readings.length === 1 ? last.sha : null,
      };
      for (const { search, name } of uses) this.#fetched.set(windowId(search.id, name), last.rows);
      await this.#landing.add({ fetched, readings });
    } catch (error) {
      await this.#failed(group, error);
    }
  }

  async #failed(group: Group, error: unknown): Promise<void> {
    const [window] = group;
    const recorder = this.#reader.recorders.get(window.key);
    this.#reader.recorders.delete(window.key);
    if (!(error instanceof ArchiveError)) throw error;
    if (isTooDeep(error, recorder)) {
      if (await this.#split(window)) {
        const halves = group.flatMap((use) => [
          ...withHalves(this.definition, windowOf(use.search, use.name, use.mindate, use.maxdate)),
        ]);
        for (const half of byRequest(halves)) await this.#fetch(half);
        return;
      }
      if (window.mindate === undefined) error.advise("Give it a mindate, and the corpus a window, for example month.");
    }
    // Aborts of the others only follow from the first failure.
    if (!this.#call.signal.aborted || this.#failures.size === 0)
      for (const { search } of group) this.#failures.set(search.id, error);
    if (isCommon(error)) this.#call.abort();
  }

  /** Whether a window ends after today by the clock of the service: the definition then gets windows that do not. */
  async #isAhead(window: Window): Promise<boolean> {
    const { clock, definition, client, state } = this;
    if (!clock.isKnown || client.recorded !== undefined || definition.window === undefined) return false;
    const today = clock.today();
    if (today < definition.until) {
      this.#define({ ...definition, until: today });
      this.#hasMoved = true;
      await this.#landing.between(async () => {
        await state.run(
          `delete from asked where mindate > date '${today}'; update asked set maxdate = date '${today}' where maxdate > date '${today}'`,
        );
        state.asked = await state.rows("from asked");
      });
    }
    const own = this.#wholes.get(windowId(window.search.id, window.name));
    return window.maxdate !== undefined && window.maxdate > today && own?.key !== window.key;
  }

  /** Adds the last days to a refresh that began with an earlier day, because the clocks differed otherwise in the run before. */
  #catchUp(): void {
    const { clock, definition } = this;
    const day = this.#refreshed === undefined ? "" : clock.at(this.#refreshed).slice(0, 10);
    if (day <= definition.until) return;
    this.#refreshed = undefined;
    this.#define({ ...definition, until: day });
    this.#hasMoved = true;
  }

  /** Splits a window by days; false if it has only one, or no first one. Its journal is useless for the halves. */
  async #split(window: Window): Promise<boolean> {
    const { splits, until } = this.definition;
    const middle = middleDay(window, until);
    if (middle === undefined) return false;
    this.#define({ ...this.definition, splits: { ...splits, [window.key]: middle } });
    await this.#forget(window.key);
    return true;
  }

  #define(definition: Definition): void {
    if (definition !== this.definition) writeDefinition(this.state.dir, definition);
    this.definition = definition;
    this.#wholes = new Map(windowsOf(definition).map((window) => [windowId(window.search.id, window.name), window]));
  }

  /**
   * Looks up people and programs. Some are left if the request budget is used up.
   *
   * @throws ArchiveError of the first lookup that failed
   */
  async #lookUp(): Promise<void> {
    const { state, client, refresh, options } = this;
    const { budget } = options;
    const more = { budget, journals: this.#journals, recorder: this.#recorder, signal: this.#call.signal };
    const failures: Array<ArchiveError | undefined> = [];
    for (const table of this.definition.lookups) {
      const onLanded = () => this.#forget(table);
      const given = { client, today: this.#day, lookupAge: refresh?.lookupAge, onLanded, ...more };
      failures.push(await lookUp(table, state, given));
    }
    const failure = failures.find((one) => one !== undefined);
    if (failure !== undefined) throw failure;
  }

  /** Records how the run ended, and publishes the tables. */
  async #end(failure: unknown): Promise<CorpusSummary> {
    const { state, definition, clock, client } = this;
    const failed = failedSearches(definition, this.#failures);
    const pending = this.#pending;
    if (failure === undefined) {
      // Searches that were not asked, or only in part, have failed as before.
      const open = new Set(pending.map(({ search }) => search.id));
      const ended = [...this.#asked].filter((id) => !open.has(id) || this.#failures.has(id)).map(sqlValue);
      await state.run(`delete from failures where search in (${["''", ...ended].join(", ")})`);
      const rows = failed.map(({ search, code, message }) => ({ search, code, message }));
      await state.insert("failures", rows);
    }
    if (client.recorded === undefined) await clock.save(state);
    const lookupsMissing = await missingLookups(state, definition);
    const isOpen = pending.some(({ search }) => !this.#failures.has(search.id)) || lookupsMissing > 0;
    const code = failure instanceof ArchiveError ? failure.code : failure === undefined ? failed[0]?.code : "UNKNOWN";
    const reason = code ?? (isOpen ? "maxRequests" : null);
    const verdict = code !== undefined ? "stopped" : isOpen ? "capped" : "complete";
    this.#recorder.end(verdict, reason);
    this.#call.release();
    const { requests } = this.#recorder.total;
    // A mention that was changed and changed back has not changed.
    const { changed } = await state.one<{ changed: number }>(
      `select count(*)::int as changed from before b join mentions m using (id) where ${contentOf(state, "m")} <> b.content`,
    );
    const changes = { ...state.changes, changed };
    await this.#log.end({ requests, verdict, reason, ...changes });
    await publishTables(state, definition, pending, lookupsMissing);
    const windows = { done: this.#wholes.size - pending.length, total: this.#wholes.size };
    return { verdict, reason, requests, windows, ...(await state.counts()), ...changes, failed };
  }

  #advice(): string {
    const numbers = this.definition.searches.flatMap(({ id }, at) => (this.#failures.has(id) ? [at + 1] : []));
    const which = numbers.length === 1 ? `search ${numbers[0]}` : `searches ${numbers.slice(0, 5).join(", ")}`;
    const total = this.#wholes.size;
    return `${numbers.length === 0 ? "" : `It stopped ${which}. `}${total - this.#pending.length} of ${total} windows are in the tables. Call it again to continue.`;
  }
}

/** Whether the service may have refused to go deeper into the pages of a search. */
function isTooDeep(error: ArchiveError, recorder: ProvenanceRecorder | undefined): boolean {
  if (!(error instanceof APIError) || recorder === undefined || recorder.pages === 0) return false;
  return error.code === "CURSOR_CIRCLES" || error.code === "HTTP_ERROR";
}
