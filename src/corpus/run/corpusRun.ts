import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { notebookHost } from "../../call/notebookHost.js";
import type { SearchProgress } from "../../call/progressEvent.js";
import { APIError, ArchiveError } from "../../errors/index.js";
import { stopsAll } from "../../service/http/failures.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { CallSignal } from "../../util/callSignal.js";
import { clip } from "../../util/quoted.js";
import { VERSION } from "../../util/version.js";
import type { Definition } from "../definition/definition.js";
import { writeDefinition } from "../definition/definitionFile.js";
import { middleOf, type Window, windowId, windowOf, windowsOf, withHalves } from "../definition/windows.js";
import { publishTables } from "../publish/publishTables.js";
import { DECLARED } from "../state/columns.js";
import type { CorpusState } from "../state/corpusState.js";
import { absentHits } from "../state/land.js";
import { askedByRefresh, beginRound, closeRound, pendingOf } from "../state/rounds.js";
import { identifier, literal } from "../state/sqlText.js";
import { fetcherOf, journalName, PageEnds, type Reading, removeJournals } from "./fetchWindow.js";
import { LandingQueue } from "./landingQueue.js";
import { lookUp, missingLookups } from "./lookUp.js";
import { SharedShape, writeRows } from "./rowsFile.js";
import type { CheckedRunOptions } from "./runOptions.js";
import { RunRecorder } from "./runRecorder.js";
import { ServiceClock } from "./serviceClock.js";
import type { CorpusSummary } from "./summary.js";
import { withCorpus } from "./withCorpus.js";

/** What stays in `work/` besides journals. */
const KEPT = /^(?:readers|queue|run-\w+|\w+\.lookups)$/;
/** Readings of a window that never agree. */
const MAX_READINGS = 5;

/** A refresh, in days. */
export interface CheckedRefresh {
  readonly lag: number;
  readonly lookupAge: number;
}

/**
 * Fetches what is missing, lands it, looks up what its mentions refer to, and publishes the tables. One run at a time can write to a corpus.
 *
 * @param refresh undefined for a build
 * @throws FileError `TARGET_BUSY` if another run is writing; ArchiveError of a failure that concerns all searches
 */
export function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  refresh?: CheckedRefresh,
): Promise<CorpusSummary> {
  return withCorpus(dir, client, async (state, definition) => {
    const clock = new ServiceClock(client.recorded === undefined ? Number((await state.meta("clock")) ?? 0) : 0);
    const run = new CorpusRun(
      state,
      { ...client, requester: clock.watching(client.requester) },
      definition,
      options,
      clock,
      refresh,
    );
    return run.run();
  });
}

/** One run over the windows of a corpus. */
class CorpusRun {
  readonly #recorder: RunRecorder;
  readonly #call: CallSignal;
  readonly #failures = new Map<string, ArchiveError>();
  /** The recorders of windows that are being fetched. */
  readonly #fetching = new Map<string, ProvenanceRecorder>();
  /** Rows of the windows that were fetched, whether they have landed or wait for it. */
  readonly #fetched = new Map<string, number>();
  /** The last recorders of windows that have not landed. */
  readonly #last = new Map<string, ProvenanceRecorder>();
  readonly #ends = new PageEnds();
  readonly #shape = new SharedShape();
  readonly #landing: LandingQueue;
  /** The windows of the definition. */
  #wholes: ReadonlyMap<string, Window> = new Map();
  readonly #landedBefore = new Set<string>();
  #hasMoved = false;
  #began = "";

  constructor(
    readonly state: CorpusState,
    readonly client: ClientContext,
    public definition: Definition,
    readonly options: CheckedRunOptions,
    readonly clock: ServiceClock,
    readonly refresh: CheckedRefresh | undefined,
  ) {
    const query = [["query", basename(resolve(state.database.dir))]] as const;
    const request = { operation: "mentions", path: "/mentions", query } as const;
    this.#recorder = new RunRecorder(client, request, options.progress, { searches: () => this.#searches() });
    this.#call = new CallSignal([options.signal, notebookHost().signal]);
    this.#landing = new LandingQueue(state, this.#shape, () => this.#record());
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
    const { database } = state;
    this.#began = new Date().toISOString();
    const verb = refresh === undefined ? "build" : "refresh";
    for (const { search } of state.landed.values()) this.#landedBefore.add(search);
    await database.run(
      `insert into runs by name (select ${literal(this.#began)}::timestamptz as began, ${literal(verb)} as verb, ${literal(VERSION)} as version, 0 as requests)`,
    );
    const day = (refresh && client.recorded?.last) ?? client.recorded?.first ?? clock.today();
    if (refresh !== undefined && !(state.round?.closed === false && state.asked.length > 0)) {
      if (day > this.definition.until) this.#define({ ...this.definition, until: day });
      await beginRound(state, day, await askedByRefresh(state, this.definition, refresh.lag));
    } else if ((state.round?.closed ?? true) && this.#pending.length > 0) await beginRound(state, day, []);
    const journals = new Set(this.#pending.map(({ key }) => key));
    for (const name of readdirSync(database.work))
      if (!KEPT.test(name) && !journals.has(name.split("-")[0] ?? ""))
        rmSync(join(database.work, name), { recursive: true, force: true });
  }

  /**
   * Fetches the missing windows.
   *
   * @throws ArchiveError of a failure that concerns all searches
   */
  async #fetchAll(): Promise<void> {
    const { budget } = this.options;
    const { work } = this.state.database;
    // To go on with a window takes two requests: its last page again, and the next one.
    const most = budget === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(budget.maxRequests / 2));
    const concurrency = Math.min(fetcherOf(this.client).concurrency, most);
    const isBegun = ([{ key }]: Group) =>
      existsSync(join(work, journalName({ key }))) || existsSync(join(work, `${journalName({ key })}.whole`));
    try {
      do {
        this.#hasMoved = false;
        const groups = byRequest(this.#pending);
        const begun = groups.filter(isBegun);
        const ordered = [...begun, ...groups.filter((group) => !begun.includes(group))];
        await pMap(ordered, (group) => this.#fetch(group), { concurrency });
      } while (this.#hasMoved && !this.#call.signal.aborted);
    } catch (error) {
      this.#call.abort();
      throw error;
    }
    await this.#landing.flush();
    const [stopped] = [...this.#failures.values()].filter((error) => stopsAll(error) || error.name === "FileError");
    if (stopped !== undefined) throw stopped.advise(this.#advice());
  }

  /** Fetches one request for all windows that need it. */
  async #fetch(group: Group): Promise<void> {
    const { state, options, clock } = this;
    const [window] = group;
    const { signal } = this.#call;
    if (signal.aborted || options.budget?.isUsedUp || group.every(({ search }) => this.#failures.has(search.id)))
      return;
    if (await this.#isAhead(window)) return;
    try {
      const readings = await this.#read(group);
      if (readings === undefined) return;
      if (await this.#isAhead(window)) return removeJournals(state.database.work, window);
      const last = readings.at(-1) as Reading;
      const [isOne, isSame] = [last.pageCount <= 1, agrees(readings)];
      const reasons = [
        ...(isOne || isSame ? [] : ["not shown to be stable"]),
        ...(last.isConfirmed ? [] : ["ends not confirmed"]),
      ];
      const uses = group.map((use) => this.#wholes.get(windowId(use.search.id, use.name)) ?? use);
      const fetched = {
        ...{ window, uses, rows: last.rows, repeatedIds: last.repeatedIds, reason: reasons.join(", ") || null },
        requests: readings.reduce((sum, { requests }) => sum + requests, 0),
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

  /** Reads a window: again, if an unstable reading has missed what an earlier one found. Undefined if the budget is used up. */
  async #read(group: Group): Promise<readonly Reading[] | undefined> {
    const { client, options, state } = this;
    const { work, scratch } = state.database;
    const [window] = group;
    const { confirmEnd, budget, recheck } = options;
    const readings: Reading[] = [];
    for (let reading = 1; reading <= MAX_READINGS; reading++) {
      const recorder = this.#recorder.add(window.request);
      this.#fetching.set(window.key, recorder);
      this.#last.set(window.key, recorder);
      try {
        const round = state.round?.round ?? 0;
        const more = {
          onPage: () => this.#recorder.onPage(),
          signal: this.#call.signal,
          ends: this.#ends,
          shape: this.#shape,
        };
        const found = await fetcherOf(client).fetch(client, window, {
          work,
          scratch,
          round,
          reading,
          recorder,
          budget,
          confirmEnd,
          ...more,
        });
        if (found === undefined) return undefined;
        readings.push(found);
        this.#recorder.onPage();
      } finally {
        this.#recorder.release(recorder);
        this.#fetching.delete(window.key);
      }
      const last = readings.at(-1) as Reading;
      this.#last.delete(window.key);
      if (last.pageCount <= 1 || agrees(readings)) break;
      if (!recheck && !(await this.#misses(group, readings))) break;
    }
    return readings;
  }

  /** Whether readings of a window have missed hits that were known. */
  async #misses(group: Group, readings: Reading[]): Promise<boolean> {
    const { state } = this;
    if (!group.some(({ search }) => this.#landedBefore.has(search.id))) return false;
    if (readings.length === 1 && group.every((use) => state.landingOf(use)?.sha === readings[0]?.sha)) return false;
    const { scratch } = state.database;
    for (const [at, { pages, files, ...rest }] of readings.entries())
      if (pages.length > 0)
        readings[at] = { ...rest, pages: [], files: [...files, writeRows(scratch, [pages], false, this.#shape)] };
    const files = readings.flatMap((reading) => reading.files);
    return this.#landing.between(async () => (await absentHits(state, group, files)) > 0);
  }

  async #failed(group: Group, error: unknown): Promise<void> {
    const [window] = group;
    const failure = error as ArchiveError;
    const recorder = this.#last.get(window.key);
    if (isTooDeep(failure, recorder)) {
      if (this.#split(window)) {
        const halves = group.flatMap((use) => [
          ...withHalves(this.definition, windowOf(use.search, use.name, use.mindate, use.maxdate)),
        ]);
        for (const half of byRequest(halves)) await this.#fetch(half);
        return;
      }
      if (window.mindate === undefined)
        failure.advise("Give it a mindate, and the corpus a window, for example month.");
    }
    if (!(error instanceof ArchiveError)) throw error;
    const isCommon = stopsAll(failure) || failure.name === "FileError";
    // Aborts of the others only follow from the first failure.
    if (!this.#call.signal.aborted || this.#failures.size === 0)
      for (const { search } of group) this.#failures.set(search.id, failure);
    if (isCommon) this.#call.abort();
  }

  /** Whether the days of a window have not begun by the clock of the service. If its clock is behind, no window ends after its today. */
  async #isAhead(window: Window): Promise<boolean> {
    const { clock, definition, client, state } = this;
    if (clock.offset === 0 || client.recorded !== undefined || definition.window === undefined) return false;
    const today = clock.today();
    if (today < definition.until) {
      this.#define({ ...definition, until: today });
      this.#hasMoved = true;
      const asked = state.asked.filter(({ mindate }) => mindate === null || mindate <= today);
      state.asked = asked.map((one) =>
        one.maxdate !== null && one.maxdate > today ? { ...one, maxdate: today } : one,
      );
      await this.#landing.between(() =>
        state.database.run(
          `delete from asked where mindate > date '${today}'; update asked set maxdate = date '${today}' where maxdate > date '${today}'`,
        ),
      );
    }
    return window.maxdate !== undefined && window.maxdate > today;
  }

  /** Splits a window by days; false if it has only one, or no first one. Its journal is of no use for the halves. */
  #split(window: Window): boolean {
    const { splits, until } = this.definition;
    const middle = middleOf(window, until);
    if (middle === undefined) return false;
    this.#define({ ...this.definition, splits: { ...splits, [window.key]: middle } });
    removeJournals(this.state.database.work, window);
    return true;
  }

  #define(definition: Definition): void {
    if (definition !== this.definition) writeDefinition(this.state.database.dir, definition);
    this.definition = definition;
    this.#wholes = new Map(windowsOf(definition).map((window) => [windowId(window.search.id, window.name), window]));
  }

  /** Looks up people and programs. Some are left if the request budget is used up. */
  async #lookUp(): Promise<void> {
    const { state, client, definition, refresh, clock } = this;
    const more = { recorder: this.#recorder, budget: this.options.budget, signal: this.#call.signal };
    // The day of the round: a recording replays with the same one.
    const today = state.round?.day ?? clock.today();
    const again = refresh && { after: refresh.lookupAge };
    for (const table of definition.lookups) await lookUp(table, state, { client, today, again, ...more });
  }

  /** Records what the run has sent so far, in case it is killed. */
  async #record(): Promise<void> {
    const { requests } = this.#recorder.sum();
    await this.state.database.run(
      `update runs set requests = ${requests} where began = ${literal(this.#began)}::timestamptz`,
    );
  }

  /** How far each search is. */
  #searches(): SearchProgress[] {
    const pending = new Set(this.#pending.map(({ search, name }) => windowId(search.id, name)));
    const states = new Map(
      this.definition.searches.map(({ id, parameters }) => [
        id,
        { parameters, windows: 0, done: 0, rows: 0, isFetching: false },
      ]),
    );
    for (const [id, { key, search }] of this.#wholes) {
      const state = states.get(search.id);
      if (state === undefined) continue;
      const fetching = this.#fetching.get(key);
      state.windows++;
      state.rows += fetching?.rows ?? this.#fetched.get(id) ?? this.state.landed.get(id)?.rows ?? 0;
      if (!pending.has(id) || this.#fetched.has(id)) state.done++;
      else if (fetching !== undefined) state.isFetching = true;
    }
    return [...states.values()];
  }

  /** Records how the run ended, and publishes the tables. */
  async #end(failure: unknown): Promise<CorpusSummary> {
    const { state, definition, clock, client } = this;
    const { database } = state;
    const failed = this.definition.searches.flatMap(({ id, parameters }) => {
      const error = this.#failures.get(id);
      return error === undefined
        ? []
        : [{ search: id, query: parameters.query ?? "", code: error.code, message: clip(error.message, 500) }];
    });
    const isCommon = failure !== undefined;
    if (!isCommon) {
      await database.run("delete from failures");
      await database.insert(
        "failures",
        failed.map(({ search, code, message }) => [search, code, message, clock.today()]),
      );
    }
    if (client.recorded === undefined) await state.setMeta("clock", String(clock.offset));
    const pending = this.#pending;
    const lookupsMissing = await missingLookups(state, definition);
    const code = failure instanceof ArchiveError ? failure.code : "UNKNOWN";
    const isOpen = pending.some(({ search }) => !this.#failures.has(search.id)) || lookupsMissing > 0;
    const reason = isCommon ? code : (failed[0]?.code ?? (isOpen ? "maxRequests" : null));
    const verdict = isCommon || failed.length > 0 ? "stopped" : isOpen ? "capped" : "complete";
    this.#recorder.end(verdict, reason);
    this.#call.release();
    const { requests } = this.#recorder.total;
    const changed = await database.one<{ n: number }>(changedMentions());
    const changes = { ...state.changes, changed: changed.n };
    await database.run(`update runs set ended = ${literal(new Date().toISOString())}::timestamptz, requests = ${requests}, verdict = ${literal(verdict)},
      reason = ${literal(reason)}, added = ${changes.added}, changed = ${changes.changed}, vanished = ${changes.vanished}, returned = ${changes.returned}
      where began = ${literal(this.#began)}::timestamptz`);
    const again = pending.filter((window) => state.landingOf(window) !== undefined).length;
    await publishTables(state, definition, { again, lookupsMissing });
    const windows = { done: this.#wholes.size - pending.length, total: this.#wholes.size };
    return { verdict, reason, requests, windows, ...(await state.counts()), ...changes, failed };
  }

  #advice(): string {
    const failed = [...this.#failures.keys()].map(
      (id) => this.definition.searches.findIndex((search) => search.id === id) + 1,
    );
    const which = failed.length === 1 ? `search ${failed[0]}` : `searches ${failed.slice(0, 5).join(", ")}`;
    const total = this.#wholes.size;
    return `It stopped ${which}. ${total - this.#pending.length} of ${total} windows are in the tables. Call it again to continue.`;
  }
}

/** Windows with the same request. */
export type Group = readonly [Window, ...Window[]];

/** Windows by their request: equal ones are sent once. */
export function byRequest(windows: readonly Window[]): Group[] {
  const groups = new Map<string, [Window, ...Window[]]>();
  for (const window of windows) {
    const known = groups.get(window.key);
    if (known === undefined) groups.set(window.key, [window]);
    else known.push(window);
  }
  return [...groups.values()];
}

/** Whether the last two readings have found the same mentions. */
function agrees(readings: readonly Reading[]): boolean {
  const [before, last] = readings.slice(-2);
  return last !== undefined && before?.ids === last.ids;
}

/** Mentions whose content differs from that before the run. */
function changedMentions(): string {
  const content = [...DECLARED.keys()].filter((name) => name !== "id").map((name) => `m.${identifier(name)}`);
  return `select count(*)::int as n from before b join mentions m using (id) where hash(${content.join(", ")}) <> b.content`;
}

/** Whether the service may have refused to go deeper into the pages of a search. */
function isTooDeep(error: unknown, recorder: ProvenanceRecorder | undefined): boolean {
  if (!(error instanceof APIError) || recorder === undefined || recorder.pages === 0) return false;
  return error.code === "CURSOR_CIRCLES" || error.code === "HTTP_ERROR";
}
