import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { CallSignal } from "../util/callSignal.js";
import { BillJudge, captionReader, type JudgedSpeeches } from "./judgeSpeeches.js";
import { equalForms, laterVariants, type SkippedVariant } from "./laterVariants.js";
import { learnedTypes } from "./learnedTypes.js";
import {
  type BillPlan,
  firstVariants,
  type SpeechesPlan,
  type SpeechSearch,
  searchesFor,
  searchFor,
} from "./planSpeeches.js";
import { CUT, type Resolutions, resolveSpeakers } from "./resolveSpeakers.js";
import {
  distinctRuns,
  isReplaced,
  type MergedSpeeches,
  mergeSpeeches,
  SearchReader,
  type SearchRun,
  SearchRuns,
  videoTypesOf,
} from "./runSearches.js";
import { type Speakers, speakersOf } from "./speakers.js";
import { TITLE_STEM } from "./variant.js";

/** The speeches on a bill that are known after a stage. */
export interface StageResult {
  readonly merged: MergedSpeeches;
  readonly judged: JudgedSpeeches;
}

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun {
  readonly combined: CombinedRecorder;
  /** By bill: what has been found, merged and judged once after every stage. */
  found: readonly StageResult[] = [];
  speakers: Speakers = { byKey: new Map(), keyOf: String, isInferred: () => false };
  /** Grows while the call runs: what was found decides about further searches. */
  readonly searchesByBill: SearchRun[][];
  /** By bill: the queries that were not sent. */
  skippedByBill: ReadonlyArray<readonly SkippedVariant[]>;
  readonly resolutions: Resolutions = new Map();
  readonly #readers: SearchReader[] = [];
  /** Searches for one row that shows the number of its type. */
  readonly #probes: SearchRun[] = [];
  /** Types and numbers for which such a search has been sent: `Speech 16`. */
  readonly #probed = new Set<string>();
  /** Forms that the service takes for others. */
  #equal: ReadonlySet<string> = new Set();
  #lookups: Promise<void> = Promise.resolve();
  readonly #judges: readonly BillJudge[];
  readonly #client: ClientContext;
  readonly #runs: SearchRuns;
  readonly #learned: ReturnType<typeof learnedTypes>;
  /** Video types by the number that rows have. */
  #types: ReadonlyMap<string, string> = new Map();

  constructor(
    client: ClientContext,
    readonly people: RowLookup,
    readonly plan: SpeechesPlan,
  ) {
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.#client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.#runs = new SearchRuns(this.combined);
    this.searchesByBill = plan.bills.map(() => []);
    this.skippedByBill = plan.bills.map(() => []);
    this.#learned = learnedTypes(client);
    const read = captionReader();
    this.#judges = plan.bills.map(({ judged }) => new BillJudge(judged, plan.minConfidence, read));
    this.#arrange();
  }

  /** All searches, each once. */
  get searches(): SearchRun[] {
    return distinctRuns(this.searchesByBill.flat());
  }

  /** Why the result may be incomplete although the searches are complete. */
  get capped(): string | undefined {
    const isCut = [...this.resolutions.values()].some((one) => "unresolved" in one && one.unresolved === CUT);
    return isCut ? CUT : undefined;
  }

  /** Merges and judges what has been found so far. */
  #arrange(): void {
    const { plan } = this;
    this.#types = videoTypesOf([...this.searches, ...this.#probes], this.#types);
    const typeOf = ({ videoTypeId }: Row) => {
      const type = this.#types.get(String(videoTypeId));
      return type !== undefined && plan.videotypes.includes(type) ? type : undefined;
    };
    this.found = this.searchesByBill.map((runs, at) => {
      const merged = mergeSpeeches(runs, typeOf);
      return { merged, judged: (this.#judges[at] as BillJudge).judge(merged.speeches) };
    });
    const kept = this.found.flatMap(({ judged }) => judged.kept);
    this.speakers = speakersOf(kept, plan);
  }

  /**
   * Sends the requests. With a budget, one search follows another, and the speakers of each are looked up before the next one:
   * whatever the budget allows is then part of the result.
   *
   * @param turn resolves when earlier calls of the client have looked up their speakers
   */
  async find(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const stop = new CallSignal([signal]);
    const tasks = new Tasks(() => stop.abort());
    try {
      if (this.plan.maxRequests === undefined) await this.#search(stop.signal, turn, tasks);
      else await this.#searchWithBudget(stop.signal, turn);
    } catch (error) {
      await tasks.settled();
      await Promise.all(this.#readers.map((reader) => reader.close()));
      for (const reader of this.#readers) reader.settle();
      this.#arrange();
      throw tasks.failure?.error ?? error;
    } finally {
      stop.release();
      this.#learned.publish(this.#types);
    }
  }

  /**
   * Sends what follows from the first pages of some searches together with the requests for their other pages and for the speakers who
   * are known so far: none waits for another.
   */
  async #search(signal: AbortSignal, turn: () => Promise<void>, tasks: Tasks): Promise<void> {
    let open: SearchReader[] = [];
    for (let stage = 0; ; stage++) {
      const fresh = this.#next().map((run) => this.#reader(run, signal));
      if (fresh.length === 0 && open.length === 0) return await this.#lookUp(signal, turn);
      const first = Promise.all(fresh.map((reader) => tasks.add(reader.first())));
      for (const reader of open) void tasks.add(this.#isRepeated(reader.run) ? reader.end() : reader.rest());
      if (stage > 0) void tasks.add(this.#lookUp(signal, turn));
      if (fresh.length > 0) await first;
      else {
        await tasks.all();
        for (const reader of this.#readers) reader.settle();
      }
      open = fresh;
      if (stage === 0) this.#types = new Map(await this.#learned.before(signal));
      this.#arrange();
      if (stage > 0) this.#learned.publish(this.#types);
    }
  }

  async #searchWithBudget(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    this.#types = new Map(await this.#learned.before(signal));
    for (let runs = this.#next(); runs.length > 0; runs = this.#next()) {
      for (const run of surestFirst(runs)) {
        for (let next: readonly SearchRun[] = [run]; next[0] !== undefined; next = this.#probe()) {
          const reader = this.#reader(next[0], signal);
          await reader.first();
          this.#equal = this.#equalForms();
          await (this.#isRepeated(reader.run) ? reader.end() : reader.rest());
          reader.settle();
          this.#arrange();
        }
        await this.#lookUp(signal, turn);
      }
    }
  }

  #equalForms(): ReadonlySet<string> {
    return new Set(this.plan.bills.flatMap((bill, at) => equalForms(bill, this.searchesByBill[at] ?? [])));
  }

  #reader(run: SearchRun, signal: AbortSignal): SearchReader {
    const reader = new SearchReader(this.#client, this.plan, run, this.combined, signal);
    this.#readers.push(reader);
    return reader;
  }
  /** Adds the searches that follow from what has been found, and returns those that are new. */
  #next(): SearchRun[] {
    const { plan, searchesByBill } = this;
    const sent = new Set(this.searches.map(({ recorder }) => recorder));
    this.#equal = this.#equalForms();
    this.skippedByBill = plan.bills.map((bill, at) => {
      const own = searchesByBill[at] as SearchRun[];
      const known = new Set(own.map(({ recorder }) => recorder));
      const add = (searches: readonly SpeechSearch[]) => {
        for (const run of searches.map((search) => this.#runs.runOf(search))) {
          if (!known.has(run.recorder)) own.push(run);
          known.add(run.recorder);
        }
      };
      if (own.length === 0) {
        add(searchesFor(firstVariants(bill), bill));
        return [];
      }
      const kinds = (this.#judges[at] as BillJudge).kindsIn([...new Set(own.flatMap(({ rows }) => rows))]);
      const { send, skipped } = laterVariants(bill, own, kinds, this.#equal);
      for (const run of own.filter(isReplaced))
        if (run.search.form !== TITLE_STEM) add(searchesFor([run.search], bill, true));
      // A title is searched here only if much begins with its words.
      for (const one of send)
        add(searchesFor([one], bill, one.part === "title" && !("after" in one) ? true : undefined));
      const order = [...bill.variants, ...bill.later].map(({ query }) => query);
      const rank = ({ search }: SearchRun) =>
        order.includes(search.query) ? order.indexOf(search.query) : order.length;
      own.sort((a, b) => rank(a) - rank(b));
      return skipped;
    });
    const fresh = this.searches.filter(({ recorder }) => !sent.has(recorder));
    return [...fresh, ...this.#probe()];
  }

  /** The next search for one row that shows which number a type has, if there are rows with unknown numbers. */
  #probe(): SearchRun[] {
    const names = new Set(this.#types.values());
    const runs = this.searches.filter((run) => run.search.videotype === undefined && !isReplaced(run));
    for (const type of this.plan.videotypes.filter((one) => !names.has(one))) {
      const numbers = (run: SearchRun) => {
        const unknown = run.rows
          .map(({ videoTypeId }) => `${videoTypeId}`)
          .filter((number) => !this.#types.has(number));
        return unknown.map((number) => `${type} ${number}`).filter((each) => !this.#probed.has(each));
      };
      const [most] = [...runs].sort((a, b) => numbers(b).length - numbers(a).length);
      if (most === undefined || numbers(most).length === 0) continue;
      for (const each of numbers(most)) this.#probed.add(each);
      const bill =
        this.plan.bills[this.searchesByBill.findIndex((own) => own.some(({ recorder }) => recorder === most.recorder))];
      const probe = this.#runs.runOf({ ...searchFor(most.search, bill as BillPlan, type), isProbe: true });
      this.#probes.push(probe);
      return [probe];
    }
    return [];
  }

  /** Whether the end of a search does not matter: others find the same. */
  #isRepeated({ search }: SearchRun): boolean {
    return this.#equal.has(search.form);
  }

  /** Finds out the titles of the speakers who are known so far, after those of the stage before. */
  async #lookUp(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, people, resolutions, combined } = this;
    const speakers = [...this.speakers.byKey.values()];
    const before = this.#lookups;
    this.#lookups = (async () => {
      await before;
      await turn();
      await resolveSpeakers(this.#client, plan, people, speakers, resolutions, combined, signal);
    })();
    await this.#lookups;
  }
}

/** What runs in parallel. The first failure stops the rest. */
class Tasks {
  failure: { readonly error: unknown } | undefined;
  readonly #tasks: Promise<unknown>[] = [];

  constructor(readonly onFailure: () => void) {}

  add<T>(task: Promise<T>): Promise<T> {
    const guarded = task.catch((error: unknown) => {
      this.failure ??= { error };
      this.onFailure();
      throw error;
    });
    guarded.catch(() => undefined);
    this.#tasks.push(guarded);
    return guarded;
  }

  all(): Promise<unknown> {
    return Promise.all(this.#tasks);
  }

  settled(): Promise<unknown> {
    return Promise.allSettled(this.#tasks);
  }
}

/** Titles, then numbers as they were typed, then other forms of these. */
function surestFirst(runs: readonly SearchRun[]): SearchRun[] {
  const rank = ({ search: { part, form } }: SearchRun) =>
    part === "number" || part === "words" ? (form === "as typed" ? 1 : 2) : 0;
  return [...runs].sort((a, b) => rank(a) - rank(b));
}

function withBudget(client: ClientContext, maxRequests: number): ClientContext {
  const budget = new RequestBudget(maxRequests);
  const { requester } = client;
  return {
    ...client,
    requester: { request: (path, query, context) => requester.request(path, query, { ...context, budget }) },
  };
}
