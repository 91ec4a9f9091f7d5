import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { Relay } from "../call/relay.js";
import type { RowLookup } from "../call/rowLookup.js";
import { type Speakers, speakersOf } from "../members/speakers.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import { CallSignal } from "../util/callSignal.js";
import { BillJudge, captionReader, type JudgedSpeeches } from "./judgeSpeeches.js";
import { equalForms, laterVariants, type SkippedVariant } from "./laterVariants.js";
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
  SAME_FORM,
  SearchReader,
  type SearchRun,
  type Speech,
  videoTypesOf,
} from "./runSearches.js";

/** The speeches on a bill that were found. */
export interface FoundSpeeches {
  readonly merged: MergedSpeeches;
  readonly judged: JudgedSpeeches;
}

/** Names of video types by the number that rows have. */
type TypeNames = ReadonlyMap<string, string>;

/** What the calls of a client have learned about the numbers of video types. */
const learnedTypes = new WeakMap<ClientContext, Relay<TypeNames>>();

/** What a call does in parallel. The first failure stops the rest. */
interface Stage {
  readonly signal: AbortSignal;
  readonly add: <T>(task: Promise<T>) => Promise<T>;
}

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun {
  readonly combined: CombinedRecorder;
  /** By bill: what has been found, once the run is over. */
  found: readonly FoundSpeeches[] = [];
  speakers: Speakers = speakersOf([], { chamber: "any", inferSpeakers: false });
  /** Grows while the call runs: what was found decides about further searches. */
  readonly searchesByBill: SearchRun[][];
  /** By bill: the queries that were not sent. */
  skippedByBill: ReadonlyArray<readonly SkippedVariant[]>;
  readonly resolutions: Resolutions = new Map();
  /** Searches for one row that shows the number of its type. */
  readonly probes: SearchRun[] = [];
  readonly #readers: SearchReader[] = [];
  /** Types and numbers for which such a search has been sent: `Speech 16`. */
  readonly #probed = new Set<string>();
  /** Equal searches of several bills share recorder and rows. */
  readonly #runs = new Map<string, SearchRun>();
  /** Forms that the service takes for others. */
  #equal: ReadonlySet<string> = new Set();
  /** Video types by the number that rows have. */
  #types: TypeNames = new Map();
  #lookups: Promise<void> = Promise.resolve();
  readonly #judges: readonly BillJudge[];
  readonly #client: ClientContext;
  readonly #learned: ReturnType<Relay<TypeNames>["join"]>;

  constructor(
    client: ClientContext,
    readonly people: RowLookup,
    readonly plan: SpeechesPlan,
  ) {
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.#client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.searchesByBill = plan.bills.map(() => []);
    this.skippedByBill = plan.bills.map(() => []);
    const learned = learnedTypes.get(client) ?? new Relay<TypeNames>(new Map());
    learnedTypes.set(client, learned);
    this.#learned = learned.join();
    const read = captionReader();
    this.#judges = plan.bills.map(({ judged }) => new BillJudge(judged, plan.minConfidence, read));
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

  /**
   * Sends the requests. With a budget, one search follows another, and the speakers of each are looked up before the next one:
   * whatever the budget allows is then part of the result.
   *
   * @param turn resolves when earlier calls of the client have looked up their speakers
   */
  async find(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const stop = new CallSignal([signal]);
    const tasks: Promise<unknown>[] = [];
    let failure: { readonly error: unknown } | undefined;
    const add = <T>(task: Promise<T>): Promise<T> => {
      const guarded = task.catch((error: unknown) => {
        failure ??= { error };
        stop.abort();
        throw error;
      });
      guarded.catch(() => undefined);
      tasks.push(guarded);
      return guarded;
    };
    const stage = { signal: stop.signal, add };
    try {
      if (this.plan.maxRequests === undefined) await this.#search(stage, turn);
      else await this.#searchWithBudget(stop.signal, turn);
      await Promise.all(tasks);
      this.#arrange();
      await this.#lookUp(this.speakers, stop.signal, turn);
    } catch (error) {
      await Promise.allSettled(tasks);
      await Promise.all(this.#readers.map((reader) => reader.close()));
      this.#arrange();
      throw failure?.error ?? error;
    } finally {
      stop.release();
      this.#learned.publish(this.#types);
    }
  }

  /**
   * Sends what follows from the first pages of some searches together with the requests for their other pages and for the speakers who
   * are known so far: none waits for another.
   */
  async #search(stage: Stage, turn: () => Promise<void>): Promise<void> {
    let open: SearchReader[] = [];
    for (let at = 0; ; at++) {
      const fresh = this.#next().map((run) => this.#reader(run, stage.signal));
      if (fresh.length === 0 && open.length === 0) return;
      const first = fresh.map((reader) => stage.add(reader.first()));
      this.#goOn(open, stage);
      if (at > 0) void stage.add(this.#lookUp(this.#speakersSoFar(), stage.signal, turn));
      await Promise.all(first);
      open = fresh;
      if (at === 0) this.#types = new Map(await this.#learned.before(stage.signal));
      this.#learnTypes();
      if (at > 0) this.#learned.publish(this.#types);
    }
  }

  /** Reads on to the end of each search, unless another one finds the same. */
  #goOn(open: readonly SearchReader[], { add }: Stage): void {
    for (const reader of open)
      void add(this.#equal.has(reader.run.search.form) ? reader.end(SAME_FORM) : reader.rest());
  }

  async #searchWithBudget(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    this.#types = new Map(await this.#learned.before(signal));
    for (let runs = this.#next(); runs.length > 0; runs = this.#next()) {
      for (const run of surestFirst(runs)) {
        for (let next: readonly SearchRun[] = [run]; next[0] !== undefined; next = this.#probe()) {
          const reader = this.#reader(next[0], signal);
          await reader.first();
          this.#equal = this.#equalForms();
          await (this.#equal.has(next[0].search.form) ? reader.end(SAME_FORM) : reader.rest());
          reader.settle();
          this.#learnTypes();
        }
        await this.#lookUp(this.#speakersSoFar(), signal, turn);
      }
    }
  }

  #learnTypes(): void {
    this.#types = videoTypesOf([...this.searches, ...this.probes], this.#types);
  }

  /** The wanted video types by the number that rows have. */
  #wantedTypes(): ReadonlyMap<string, string> {
    return new Map([...this.#types].filter(([, type]) => this.plan.videotypes.includes(type)));
  }

  /** Merges and judges what was found, once. */
  #arrange(): void {
    for (const reader of this.#readers) reader.settle();
    this.#learnTypes();
    const types = this.#wantedTypes();
    this.found = this.searchesByBill.map((runs, at) => {
      const merged = mergeSpeeches(runs, types);
      return { merged, judged: (this.#judges[at] as BillJudge).judge(merged.speeches) };
    });
    this.speakers = speakersOf(
      this.found.flatMap(({ judged }) => judged.kept),
      this.plan,
    );
  }

  /** The speakers of what counts so far. */
  #speakersSoFar(): Speakers {
    const types = this.#wantedTypes();
    const kept = this.searchesByBill.flatMap((runs, at) => {
      const found: Pick<Speech, "row" | "isGiven" | "isWide">[] = [];
      for (const { search, rows } of runs) {
        const [isGiven, isWide] = [search.form === "given", search.isWide === true];
        for (const row of rows)
          if (search.videotype !== undefined || types.has(String(row.videoTypeId)))
            found.push({ row, isGiven, isWide });
      }
      return (this.#judges[at] as BillJudge).judge(found).kept;
    });
    return speakersOf(kept, this.plan);
  }

  #equalForms(): ReadonlySet<string> {
    return new Set(this.plan.bills.flatMap((bill, at) => equalForms(bill, this.searchesByBill[at] ?? [])));
  }

  #reader(run: SearchRun, signal: AbortSignal): SearchReader {
    const reader = new SearchReader(this.#client, this.plan, run, this.combined, signal);
    this.#readers.push(reader);
    return reader;
  }

  #runOf(search: SpeechSearch): SearchRun {
    const key = JSON.stringify([search.request.query, search.isProbe]);
    const shared = this.#runs.get(key) ?? { search, recorder: this.combined.add(search.request), rows: [] };
    this.#runs.set(key, shared);
    return { ...shared, search };
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
        for (const run of searches.map((search) => this.#runOf(search))) {
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
        if (run.search.part !== "title" || !run.search.isWide) add(searchesFor([run.search], bill, true));
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
    const unknown = runs.map(({ rows }) => {
      const numbers: string[] = [];
      for (const { videoTypeId } of rows) if (!this.#types.has(`${videoTypeId}`)) numbers.push(`${videoTypeId}`);
      return numbers;
    });
    for (const type of this.plan.videotypes.filter((one) => !names.has(one))) {
      const left = unknown.map((numbers) => numbers.filter((number) => !this.#probed.has(`${type} ${number}`)));
      const most = Math.max(0, ...left.map(({ length }) => length));
      if (most === 0) continue;
      const at = left.findIndex(({ length }) => length === most);
      for (const number of left[at] as string[]) this.#probed.add(`${type} ${number}`);
      const { search, recorder } = runs[at] as SearchRun;
      const ofBill = this.searchesByBill.findIndex((own) => own.some((one) => one.recorder === recorder));
      const probe = this.#runOf({ ...searchFor(search, this.plan.bills[ofBill] as BillPlan, type), isProbe: true });
      this.probes.push(probe);
      return [probe];
    }
    return [];
  }

  /** Finds out the titles of speakers, after those of the stage before. */
  async #lookUp({ byKey }: Speakers, signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, people, resolutions, combined } = this;
    const before = this.#lookups;
    this.#lookups = (async () => {
      await before;
      await turn();
      await resolveSpeakers(this.#client, plan, people, byKey.values(), resolutions, combined, signal);
    })();
    await this.#lookups;
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
