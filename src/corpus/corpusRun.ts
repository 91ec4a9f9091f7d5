import { basename, resolve } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { notebookHost } from "../call/notebookHost.js";
import type { SearchProgress } from "../call/progressEvent.js";
import { APIError, ArchiveError } from "../errors/index.js";
import { show } from "../errors/validators.js";
import { stopsAll } from "../service/http/failures.js";
import { DEFAULTS } from "../service/http/options.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import type { Definition } from "./definition/definition.js";
import { writeDefinition } from "./definition/definitionFile.js";
import { middleOf, type Unit, unitFrom, unitsBySearch, unitsOf } from "./definition/units.js";
import type { CheckedRunOptions } from "./runOptions.js";
import { readTable, writeTable } from "./tables/table.js";
import { CountedRequester } from "./work/countedRequester.js";
import { fetchUnit } from "./work/fetchUnit.js";
import { MERGE_ROWS, mergeUnits } from "./work/mergeUnits.js";
import { readPartRecord } from "./work/readPart.js";
import { RefreshedIds } from "./work/refreshedIds.js";
import { readRecords, searchesTable, type UnitRecords } from "./work/unitRecords.js";
import { vanishedAtBorders } from "./work/vanishedAtBorders.js";
import type { WorkDirectory } from "./work/workDirectory.js";

/** A pagination uses page numbers if it may have this many requests in flight. */
const MIN_NUMBERED = 4;

/** One run over the units of a corpus: fetches what is missing, and merges it into the tables. */
export class CorpusRun {
  readonly client: ClientContext;
  readonly combined: CombinedRecorder;
  readonly records: UnitRecords;
  readonly changes = { added: 0, changed: 0, returned: 0, vanished: 0 };
  units: readonly Unit[];
  readonly #requester: CountedRequester;
  readonly #call: CallSignal;
  readonly #refreshed: RefreshedIds;
  readonly #ahead: number;
  readonly #recorders: ProvenanceRecorder[] = [];
  readonly #failures = new Map<string, ArchiveError>();
  /** The recorders of units whose pagination has begun. */
  readonly #paginations = new Map<string, ProvenanceRecorder>();
  /** Finished units that are not merged yet, and their rows. */
  #finished: Unit[] = [];
  #finishedRows = 0;
  #merging: Promise<void> = Promise.resolve();

  constructor(
    readonly dir: string,
    client: ClientContext,
    readonly work: WorkDirectory,
    public definition: Definition,
    readonly options: CheckedRunOptions,
  ) {
    this.#requester = new CountedRequester(client.requester);
    const output = { ...client.output, progress: options.progress ?? client.output.progress };
    this.client = { ...client, requester: this.#requester, output };
    this.combined = new CombinedRecorder(this.client, nameOf(dir), { searches: () => this.#searches() });
    this.#refreshed = new RefreshedIds(work.path);
    this.#call = new CallSignal([options.signal, notebookHost().signal]);
    this.units = unitsOf(definition);
    this.records = readRecords(readTable(dir, "searches"));
    // Few units read with page numbers. Not the units that are left: a replay must send the requests of the recording.
    work.clean(new Set(this.missing.map(({ name }) => name)));
    const share = Math.floor(Math.min(client.concurrency, DEFAULTS.concurrency) / this.units.length);
    this.#ahead = share >= MIN_NUMBERED ? share : 1;
  }

  get requests(): number {
    return this.#requester.sent;
  }

  get budget(): RequestBudget | undefined {
    return this.options.budget;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** Units that are neither merged nor to be asked again. */
  get missing(): Unit[] {
    const { pending } = this.definition;
    return this.units.flatMap((unit) => {
      const from = pending[unit.name];
      if (from !== undefined) return [from === null ? unit : unitFrom(unit, from)];
      return this.records.has(unit.name) ? [] : [unit];
    });
  }

  /**
   * Fetches the missing units and merges them.
   *
   * @throws ArchiveError of the first search that failed; what was fetched is merged
   */
  async run(): Promise<void> {
    try {
      await pMap(this.missing, (unit) => this.#fetch(unit), { concurrency: this.client.concurrency });
      await this.#mergeFinished();
      if (this.missing.length === 0) await this.#endRefresh();
    } catch (error) {
      this.#call.abort();
      throw error;
    } finally {
      await this.#merging.catch(() => undefined);
    }
    const [failed] = this.#failures;
    if (failed !== undefined) throw failed[1].advise(this.#advice());
  }

  async #fetch(unit: Unit): Promise<void> {
    const { work, client, options } = this;
    const { budget } = options;
    if (work.hasPart(unit.name)) return this.#finish(unit);
    if (this.signal.aborted || this.#failures.has(unit.search.id)) return;
    if (budget?.isUsedUp && !work.hasJournal(unit.name)) return;
    const recorder = this.combined.add(unit.request);
    this.#recorders.push(recorder);
    this.#paginations.set(unit.name, recorder);
    const onPage = () => this.combined.onPage();
    try {
      const fetched = await fetchUnit(client, work, unit, {
        recorder,
        budget,
        signal: this.signal,
        ahead: this.#ahead,
        onPage,
      });
      if (fetched) await this.#finish(unit);
    } catch (error) {
      const failure = error as ArchiveError;
      if (isTooDeep(failure, recorder)) {
        const halves = this.#split(unit);
        if (halves !== undefined) {
          for (const half of halves) await this.#fetch(half);
          return;
        }
        if (unit.mindate === undefined)
          failure.advise("Give it a mindate, and the corpus a window, for example month.");
      }
      if (!(error instanceof ArchiveError)) throw error;
      // Aborts of the others only follow from the first failure.
      if (!this.signal.aborted || this.#failures.size === 0) this.#failures.set(unit.search.id, failure);
      if (stopsAll(failure) || failure.name === "FileError") this.#call.abort();
    }
  }

  async #finish(unit: Unit): Promise<void> {
    this.#finished.push(unit);
    this.#finishedRows += (await readPartRecord(this.work.part(unit.name))).rows;
    if (this.#finishedRows >= MERGE_ROWS) void this.#mergeFinished().catch(() => this.#call.abort());
  }

  /** Merges the finished units after those of an earlier call. */
  #mergeFinished(): Promise<void> {
    const units = this.#finished;
    this.#finished = [];
    this.#finishedRows = 0;
    this.#merging = this.#merging.then(() => this.#merge(units));
    return this.#merging;
  }

  async #merge(units: readonly Unit[]): Promise<void> {
    if (units.length === 0) return;
    const { dir, work, records, changes } = this;
    const totals = await mergeUnits(dir, work, units, records, this.#refreshed);
    for (const name of ["added", "changed", "returned", "vanished"] as const) changes[name] += totals[name];
    await this.writeSearches();
    const pending = Object.fromEntries(
      Object.entries(this.definition.pending).filter(([name]) => !units.some((unit) => unit.name === name)),
    );
    if (Object.keys(pending).length < Object.keys(this.definition.pending).length)
      this.#define({ ...this.definition, pending });
    for (const { name } of units) work.remove(name);
  }

  /** What vanished where windows meet is known when all were asked. */
  async #endRefresh(): Promise<void> {
    if (!this.#refreshed.isOpen) return;
    this.changes.vanished += await vanishedAtBorders(this.dir, this.units, this.#refreshed, this.records);
    this.#refreshed.end();
  }

  /** Writes the table of searches. */
  writeSearches(): Promise<void> {
    const units = unitsBySearch(this.definition, this.units);
    return writeTable(this.dir, "searches", searchesTable(this.definition, units, this.records));
  }

  /** Splits a unit by days; undefined if it has only one, or no first one. Its journal is of no use for the halves. */
  #split(unit: Unit): Unit[] | undefined {
    const { splits, pending, until } = this.definition;
    const middle = middleOf(unit, until);
    if (middle === undefined) return undefined;
    const { [unit.name]: from, ...others } = pending;
    const definition = { ...this.definition, splits: { ...splits, [unit.name]: middle }, pending: others };
    const before = new Set(this.units.map(({ name }) => name));
    const units = unitsOf(definition);
    const halves = units.filter(({ name }) => !before.has(name));
    const ofHalves = from === undefined ? {} : Object.fromEntries(halves.map(({ name }) => [name, null]));
    this.#define({ ...definition, pending: { ...others, ...ofHalves } });
    this.units = units;
    this.work.remove(unit.name);
    return halves;
  }

  #define(definition: Definition): void {
    this.definition = definition;
    writeDefinition(this.dir, definition);
  }

  /** How far each search is. */
  #searches(): SearchProgress[] {
    const missing = new Set(this.missing.map(({ name }) => name));
    const waiting = new Set(this.#finished.map(({ name }) => name));
    const states = new Map(
      this.definition.searches.map(({ id, parameters }) => [
        id,
        { parameters, windows: 0, done: 0, rows: 0, isFetching: false },
      ]),
    );
    for (const { name, search } of this.units) {
      const state = states.get(search.id);
      if (state === undefined) continue;
      const pagination = this.#paginations.get(name);
      const isDone = !missing.has(name) || waiting.has(name) || pagination?.verdict === "complete";
      state.windows++;
      state.rows += pagination?.rows ?? (isDone ? (this.records.get(name)?.rows ?? 0) : 0);
      if (isDone) state.done++;
      else if (pagination !== undefined) state.isFetching = true;
    }
    return [...states.values()];
  }

  /** Stops all requests. */
  stop(): void {
    this.#call.abort();
  }

  /** Ends the record of the run. */
  end(failure: unknown): void {
    const { budget } = this.options;
    const capped = budget?.isUsedUp && this.missing.length > 0 ? "maxRequests" : undefined;
    const stopped = failure === undefined ? undefined : ((failure as { code?: string }).code ?? "unknown");
    this.combined.end(this.combined.total.rows, this.#recorders, stopped, capped);
    this.#call.release();
  }

  #advice(): string {
    const done = this.units.length - this.missing.length;
    const failed = [...this.#failures.keys()].map((id) => {
      const at = this.definition.searches.findIndex((search) => search.id === id);
      return `${at + 1} (${show(this.definition.searches[at]?.parameters.query)})`;
    });
    const which = failed.length === 1 ? `search ${failed[0]}` : `searches ${failed.slice(0, 5).join(", ")}`;
    return `It stopped ${which}. ${done} of ${this.units.length} windows are in the tables. Call it again to continue.`;
  }
}

/** Whether the service may have refused to go deeper into the pages of a search. */
function isTooDeep(error: unknown, { pages }: ProvenanceRecorder): boolean {
  if (!(error instanceof APIError) || pages === 0) return false;
  return error.code === "CURSOR_CIRCLES" || error.code === "HTTP_ERROR";
}

/** What progress shows as the subject of the run. */
function nameOf(dir: string): ArchiveRequest {
  return { operation: "mentions", path: "/mentions", query: [["query", basename(resolve(dir))]] };
}
