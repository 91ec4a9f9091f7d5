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
  /** Types and numbers for which such a search has been sent: `Speech 16`. */
  readonly #probed = new Set<string>();
  /** By search. */
  readonly #readers = new Map<string, SearchReader>();
  /** Searches that have not begun. */
  readonly #waiting: SearchRun[] = [];
  /** Forms that the service takes for others. */
  #equal: ReadonlySet<string> = new Set();
  /** Video types by the number that rows have. */
  #types: TypeNames = new Map();
  #lookups: Promise<void> = Promise.resolve();
  readonly #judges: readonly BillJudge[];
  readonly #client: ClientContext;
  readonly #learned: ReturnType<Relay<TypeNames>["join"]>;
  readonly #stop: CallSignal;

  /**
   * @param turn resolves when earlier calls of the client have looked up their speakers
   */
  constructor(
    client: ClientContext,
    readonly people: RowLookup,
    readonly plan: SpeechesPlan,
    signal: AbortSignal,
    readonly turn: (signal: AbortSignal) => Promise<void>,
  ) {
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.#client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.#stop = new CallSignal([signal]);
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
   * Sends the requests. What follows from the first pages of some searches is sent together with the requests for their other pages and for
   * the speakers who are known so far: none waits for another. With a budget, one search follows another, and the speakers of each are looked
   * up before the next one: whatever the budget allows is then part of the result.
   */
  async find(): Promise<void> {
    const stop = this.#stop;
    const tasks: Promise<void>[] = [];
    let failure: { readonly error: unknown } | undefined;
    const start = (task: () => Promise<void>): Promise<void> => {
      const before = this.#isLimited ? tasks.at(-1) : undefined;
      const started = (before === undefined ? task() : before.then(task)).catch((error: unknown) => {
        failure ??= { error };
        stop.abort();
        throw error;
      });
      started.catch(() => undefined);
      tasks.push(started);
      return started;
    };
    try {
      await this.#search(start);
      await Promise.all(tasks);
      await this.#arrange();
      await this.#lookUp(this.speakers);
    } catch (error) {
      await Promise.allSettled(tasks);
      await this.#arrange();
      throw failure?.error ?? error;
    } finally {
      stop.release();
      this.#learned.publish(this.#types);
    }
  }

  async #search(start: (task: () => Promise<void>) => Promise<void>): Promise<void> {
    for (let at = 0, open: SearchRun[] = []; ; at++) {
      const fresh = this.#next();
      if (fresh.length === 0 && open.length === 0) return;
      const readFirst = () => fresh.map(({ reader }) => start(() => reader.first()));
      const first = this.#isLimited ? [] : readFirst();
      for (const { search, reader } of open)
        void start(() => (this.#equal.has(search.form) ? reader.end(SAME_FORM) : reader.rest()));
      if (at > 0) void start(() => this.#lookUp(this.#speakersSoFar()));
      await Promise.all(this.#isLimited ? readFirst() : first);
      open = fresh;
      if (at === 0) this.#types = new Map(await this.#learned.before(this.#stop.signal));
      this.#learnTypes();
      if (at > 0 && !this.#isLimited) this.#learned.publish(this.#types);
    }
  }

  get #isLimited(): boolean {
    return this.plan.maxRequests !== undefined;
  }

  #learnTypes(): void {
    this.#types = videoTypesOf([...this.searches, ...this.probes], this.#types);
  }

  /** The wanted video types by the number that rows have. */
  #wantedTypes(): ReadonlyMap<string, string> {
    return new Map([...this.#types].filter(([, type]) => this.plan.videotypes.includes(type)));
  }

  /** Merges and judges what was found, once. */
  async #arrange(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
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

  #runOf(search: SpeechSearch): SearchRun {
    const key = JSON.stringify([search.request.query, search.isProbe]);
    const reader =
      this.#readers.get(key) ?? new SearchReader(this.#client, this.plan, search, this.combined, this.#stop.signal);
    this.#readers.set(key, reader);
    return { search, reader, recorder: reader.recorder, rows: reader.rows };
  }

  /** The searches to begin: those that follow from what has been found, or with a budget the surest of them. */
  #next(): SearchRun[] {
    this.#equal = this.#equalForms();
    if (this.#waiting.length === 0) this.#waiting.push(...this.#following());
    this.#waiting.unshift(...this.#probe());
    return this.#waiting.splice(0, this.#isLimited ? 1 : this.#waiting.length);
  }

  /** Adds the searches that follow from what has been found, and returns those that are new. */
  #following(): SearchRun[] {
    const sent = new Set(this.searches.map(({ reader }) => reader));
    this.skippedByBill = this.plan.bills.map((bill, at) => {
      const own = this.searchesByBill[at] as SearchRun[];
      const known = new Set(own.map(({ reader }) => reader));
      const add = (searches: readonly SpeechSearch[]) => {
        for (const run of searches.map((search) => this.#runOf(search))) {
          if (!known.has(run.reader)) own.push(run);
          known.add(run.reader);
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
      for (const one of send) add(searchesFor([one], bill, one.part === "title" && !one.isLater ? true : undefined));
      const order = bill.variants.map(({ query }) => query);
      const rank = ({ search }: SearchRun) =>
        order.includes(search.query) ? order.indexOf(search.query) : order.length;
      own.sort((a, b) => rank(a) - rank(b));
      return skipped;
    });
    return surestFirst(this.searches.filter(({ reader }) => !sent.has(reader)));
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
      const { search, reader } = runs[at] as SearchRun;
      const ofBill = this.searchesByBill.findIndex((own) => own.some((one) => one.reader === reader));
      const probe = this.#runOf({ ...searchFor(search, this.plan.bills[ofBill] as BillPlan, type), isProbe: true });
      this.probes.push(probe);
      return [probe];
    }
    return [];
  }

  /** Finds out the titles of speakers, after those of the stage before. */
  async #lookUp({ byKey }: Speakers): Promise<void> {
    const { plan, people, resolutions, combined } = this;
    const { signal } = this.#stop;
    const before = this.#lookups;
    this.#lookups = (async () => {
      await before;
      await this.turn(signal);
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
