import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { notebookHost } from "../call/notebookHost.js";
import type { SearchProgress } from "../call/progressEvent.js";
import { APIError, ArchiveError } from "../errors/index.js";
import { show } from "../errors/validators.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { stopsAll } from "../service/http/failures.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { VERSION } from "../util/version.js";
import { progressOf } from "./corpusInfo.js";
import { today } from "./definition/days.js";
import type { Definition } from "./definition/definition.js";
import { writeDefinition } from "./definition/definitionFile.js";
import { middleOf, type Window, windowsOf, withHalves } from "./definition/windows.js";
import { readCompacted } from "./raw/compacted.js";
import { fetcherOf, journalName, PageEnds } from "./raw/fetchWindow.js";
import { type Landing, landWindow, readLandings } from "./raw/landing.js";
import { newRound, type Pending, pendingOf, type Round, readRounds, writeRound } from "./raw/rounds.js";
import { directoryStorage, placeInside } from "./raw/storage.js";
import type { CheckedRunOptions } from "./runOptions.js";
import type { CorpusSummary } from "./summary.js";
import { COMPACTING, compactMonths, type MonthSize, removeCompacted } from "./tables/compactMonths.js";
import { finishDerivation, planDerivation } from "./tables/derivation.js";
import { deriveMonths, type TableChanges } from "./tables/deriveMonths.js";
import { removeFrozenTables } from "./tables/frozenTables.js";
import { lookUp } from "./tables/lookUp.js";
import { publishPackage } from "./tables/publishPackage.js";
import { searchesTable } from "./tables/searchesTable.js";
import { writeTable } from "./tables/table.js";
import { rowsOfTables } from "./tables/tablePaths.js";
import { withCorpusLock } from "./withCorpusLock.js";

/** What stays in `work/` besides journals. */
const KEPT = /^(?:readers|described\.json|state\.json|\w+\.lookups)$/;

/**
 * Fetches what is missing, derives the tables, and looks up what its mentions refer to. One run at a time can write to a corpus.
 *
 * @param lag days, for a refresh; undefined for a build
 * @throws FileError `TARGET_BUSY` if another run is writing; ArchiveError of the first failure
 */
export function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  lag?: number,
): Promise<CorpusSummary> {
  return withCorpusLock(dir, client, async (definition, work) => {
    const began = new Date();
    const run = new CorpusRun(dir, client, work, definition, options);
    await run.begin(lag);
    let failure: unknown;
    try {
      const fetched = await run.fetch().catch((error: unknown) => ({ error }));
      await run.derive();
      if (fetched !== undefined) throw fetched.error;
      await run.lookUp();
    } catch (error) {
      failure = error;
    }
    const summary = await run.end(failure);
    const times = { began: began.toISOString(), ended: new Date().toISOString() };
    const verb = lag === undefined ? "build" : "refresh";
    const record = { verb, version: VERSION, source: client.source, ...times, summary };
    const name = began.toISOString().replaceAll(":", "");
    writeFileAtomic(placeInside(dir, `runs/${name}.json`), `${JSON.stringify(record, null, 2)}\n`);
    publishPackage(dir);
    if (failure !== undefined) throw failure;
    return summary;
  });
}

/** One run over the windows of a corpus. */
class CorpusRun {
  #landings: Landing[] = [];
  #rounds: Round[] = [];
  #changes: TableChanges = { added: 0, changed: 0, vanished: 0, returned: 0 };
  #isLookedUp = true;
  readonly #storage;
  readonly #combined: CombinedRecorder;
  readonly #call: CallSignal;
  readonly #failures = new Map<string, ArchiveError>();
  /** The recorders of windows that are being fetched. */
  readonly #fetching = new Map<string, ProvenanceRecorder>();
  readonly #ends = new PageEnds();

  constructor(
    readonly dir: string,
    readonly client: ClientContext,
    readonly work: string,
    public definition: Definition,
    readonly options: CheckedRunOptions,
  ) {
    const output = { ...client.output, progress: options.progress ?? client.output.progress };
    const request = { operation: "mentions", path: "/mentions", query: [["query", basename(resolve(dir))]] } as const;
    this.#storage = directoryStorage(dir);
    this.#combined = new CombinedRecorder({ ...client, output }, request, { searches: () => this.#searches() });
    this.#call = new CallSignal([options.signal, notebookHost().signal]);
  }

  get #pending(): Pending {
    return pendingOf(this.definition, this.#landings, this.#rounds);
  }

  /** Reads what has landed; begins a refresh, unless one is to be continued. */
  async begin(lag: number | undefined): Promise<void> {
    this.#landings = await readLandings(this.#storage);
    this.#rounds = await readRounds(this.#storage);
    const { isRoundComplete, windows } = this.#pending;
    if (lag !== undefined && isRoundComplete) {
      const day = this.client.recorded?.last ?? today();
      if (day > this.definition.until) this.#define({ ...this.definition, until: day });
      const round = newRound(this.definition, this.#landings, this.#rounds, lag, day);
      await writeRound(this.#storage, round);
      this.#rounds.push(round);
    }
    // What a killed process has left.
    if (existsSync(join(this.work, COMPACTING))) await removeCompacted(this.#storage, this.#landings);
    removeFrozenTables(this.dir);
    const journals = new Set((lag === undefined ? windows : this.#pending.windows).map(journalName));
    for (const name of readdirSync(this.work))
      if (!KEPT.test(name) && !journals.has(name)) rmSync(join(this.work, name), { recursive: true, force: true });
  }

  /**
   * Fetches the missing windows.
   *
   * @throws ArchiveError of the first search that failed; the others have landed
   */
  async fetch(): Promise<void> {
    const { budget } = this.options;
    const { windows, round } = this.#pending;
    const isBegun = ({ key }: Window) => existsSync(join(this.work, journalName({ key })));
    const begun = windows.filter(isBegun);
    // To go on with a window takes two requests: its last page again, and the next one.
    const most = budget === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(budget.maxRequests / 2));
    const concurrency = Math.min(fetcherOf(this.client).concurrency, most);
    const ordered = [...begun, ...windows.filter((window) => !begun.includes(window))];
    try {
      await pMap(ordered, (window) => this.#fetch(window, round), { concurrency });
    } catch (error) {
      this.#call.abort();
      throw error;
    }
    const [failed] = this.#failures;
    if (failed !== undefined) throw failed[1].advise(this.#advice());
  }

  async #fetch(window: Window, round: number): Promise<void> {
    const { work, client } = this;
    const { budget, confirmEnd, recheck } = this.options;
    const { signal } = this.#call;
    if (signal.aborted || this.#failures.has(window.search.id) || budget?.isUsedUp) return;
    const recorder = () => {
      const own = this.#combined.add(window.request);
      this.#fetching.set(window.key, own);
      return own;
    };
    const onPage = () => this.#combined.onPage();
    const ends = this.#ends;
    try {
      const options = { work, round, recorder, budget, signal, onPage, confirmEnd, recheck, ends };
      const fetched = await fetcherOf(client).fetch(client, window, options);
      if (fetched === undefined) return;
      await landWindow(this.#storage, fetched);
      rmSync(join(work, journalName(window)), { force: true });
      this.#landings.push(fetched.landing);
    } catch (error) {
      const failure = error as ArchiveError;
      if (isTooDeep(failure, this.#fetching.get(window.key))) {
        if (this.#split(window)) {
          for (const half of withHalves(this.definition, window)) await this.#fetch(half, round);
          return;
        }
        if (window.mindate === undefined)
          failure.advise("Give it a mindate, and the corpus a window, for example month.");
      }
      if (!(error instanceof ArchiveError)) throw error;
      // Aborts of the others only follow from the first failure.
      if (!signal.aborted || this.#failures.size === 0) this.#failures.set(window.search.id, failure);
      if (stopsAll(failure) || failure.name === "FileError") this.#call.abort();
    }
  }

  /** Splits a window by days; false if it has only one, or no first one. Its journal is of no use for the halves. */
  #split(window: Window): boolean {
    const { splits, until } = this.definition;
    const middle = middleOf(window, until);
    if (middle === undefined) return false;
    this.#define({ ...this.definition, splits: { ...splits, [window.key]: middle } });
    rmSync(join(this.work, journalName(window)), { force: true });
    return true;
  }

  #define(definition: Definition): void {
    this.definition = definition;
    writeDefinition(this.dir, definition);
  }

  /** Brings the tables of mentions and hits up to what has landed. */
  async derive(): Promise<void> {
    const { dir, work } = this;
    const compacted = await readCompacted(this.#storage);
    const derivation = planDerivation(dir, this.#landings, this.#rounds, this.#pending.isRoundComplete, compacted);
    this.#changes = await deriveMonths(dir, work, derivation);
    finishDerivation(dir, derivation);
    // What is read to derive a month is at most twice what it needs.
    const isDue = ({ month, superseded, latest, compacted }: MonthSize) =>
      derivation.months.includes(month) && latest > 0 && superseded > latest + compacted;
    await compactMonths(dir, work, this.#landings, derivation, isDue);
  }

  /** Looks up people and programs. Some are left if the request budget is used up. */
  async lookUp(): Promise<void> {
    const { dir, work, client, definition } = this;
    const more = { combined: this.#combined, budget: this.options.budget, signal: this.#call.signal };
    for (const table of definition.lookups)
      this.#isLookedUp = (await lookUp(table, { dir, work, client, ...more })) && this.#isLookedUp;
  }

  /** How far each search is. */
  #searches(): SearchProgress[] {
    const pending = new Set(this.#pending.windows.map(({ key }) => key));
    const rows = new Map(this.#landings.map((landing) => [landing.window, landing.rows]));
    const states = new Map(
      this.definition.searches.map(({ id, parameters }) => [
        id,
        { parameters, windows: 0, done: 0, rows: 0, isFetching: false },
      ]),
    );
    for (const { key, search } of windowsOf(this.definition)) {
      const state = states.get(search.id);
      if (state === undefined) continue;
      const fetching = this.#fetching.get(key);
      state.windows++;
      state.rows += fetching?.rows ?? rows.get(key) ?? 0;
      if (!pending.has(key)) state.done++;
      else if (fetching !== undefined) state.isFetching = true;
    }
    return [...states.values()];
  }

  /** Writes the table of searches, and ends the record of the run. */
  async end(failure: unknown): Promise<CorpusSummary> {
    const { dir, definition } = this;
    this.#landings = await readLandings(this.#storage);
    const all = windowsOf(definition);
    await writeTable(dir, "searches", searchesTable(dir, definition, all, this.#landings));
    const { windows: pending } = this.#pending;
    const { total } = this.#combined;
    const code = failure instanceof ArchiveError ? failure.code : "UNKNOWN";
    const isOpen = pending.length > 0 || !this.#isLookedUp;
    this.#combined.end(total.rows, [], failure === undefined ? undefined : code, isOpen ? "maxRequests" : undefined);
    this.#call.release();
    const { verdict, reason, requests } = total;
    const windows = progressOf(all, pending);
    return { verdict, reason, requests, windows, ...rowsOfTables(dir), ...this.#changes };
  }

  #advice(): string {
    const { done, total } = progressOf(windowsOf(this.definition), this.#pending.windows);
    const failed = [...this.#failures.keys()].map((id) => {
      const at = this.definition.searches.findIndex((search) => search.id === id);
      return `${at + 1} (${show(this.definition.searches[at]?.parameters.query)})`;
    });
    const which = failed.length === 1 ? `search ${failed[0]}` : `searches ${failed.slice(0, 5).join(", ")}`;
    return `It stopped ${which}. ${done} of ${total} windows are in the tables. Call it again to continue.`;
  }
}

/** Whether the service may have refused to go deeper into the pages of a search. */
function isTooDeep(error: unknown, recorder: ProvenanceRecorder | undefined): boolean {
  if (!(error instanceof APIError) || recorder === undefined || recorder.pages === 0) return false;
  return error.code === "CURSOR_CIRCLES" || error.code === "HTTP_ERROR";
}
