import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { type Speakers, speakersOf } from "../members/speakers.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { Row } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import { CallSignal } from "../util/callSignal.js";
import { captionReader, type JudgedSpeeches, judgeSpeeches, possibleKindsOf } from "./judgeSpeeches.js";
import { type MergedSpeeches, mergeSpeeches } from "./mergeSpeeches.js";
import { type BillPlan, type SpeechesPlan, type SpeechSearch, searchesFor } from "./planSpeeches.js";
import type { QueryVariant } from "./queryVariants.js";
import { type Resolutions, resolveSpeakers, type SpeakerLookups } from "./resolveSpeakers.js";
import { isCovered, SearchReader, type SearchRun, VideoTypes } from "./searchReader.js";

export interface BillRun {
  readonly plan: BillPlan;
  /** The searches in the order in which they were sent. */
  readonly runs: SearchRun[];
  merged: MergedSpeeches;
  judged: JudgedSpeeches;
}

/** The requests of one call: its searches, and the lookups of the speakers. */
export class SpeechesRun implements SpeakerLookups {
  /** Limited to the requests that the call may send. */
  readonly client: ClientContext;
  readonly combined: CombinedRecorder;
  readonly bills: readonly BillRun[];
  readonly resolutions: Resolutions = new Map();
  readonly #readers = new Map<string, SearchReader>();
  readonly #read = captionReader();
  readonly #types: VideoTypes;
  readonly #tasks: Promise<void>[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** Aborted by the first failure, by the caller, or by the notebook. */
  readonly #stop: CallSignal;

  constructor(
    client: ClientContext,
    readonly people: RowLookups,
    readonly plan: SpeechesPlan,
  ) {
    this.client = plan.budget === undefined ? client : withBudget(client, plan.budget);
    this.combined = new CombinedRecorder(this.client, buildRequest("mentions", { query: "bill" }));
    this.#stop = new CallSignal([plan.signal, client.output.host.signal]);
    this.#types = new VideoTypes(plan.videotypes);
    this.bills = plan.bills.map((bill) => ({ plan: bill, runs: [], ...this.#judge({ plan: bill, runs: [] }, false) }));
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** All searches, each once. */
  get searches(): SearchRun[] {
    return [...new Map(this.bills.flatMap(({ runs }) => runs).map((run) => [run.reader, run])).values()];
  }

  /** The speakers of the speeches that count. */
  get speakers(): Speakers {
    return speakersOf(
      this.bills.flatMap(({ judged }) => judged.accepted),
      this.plan,
    );
  }

  /**
   * Sends the requests: for one bill after another until the numbers of the video types are known, then for all others at once.
   *
   * @returns the first failure. The rows found before it are merged and judged as well
   */
  async searchAll(): Promise<{ readonly error: unknown } | undefined> {
    try {
      let at = 0;
      for (; at < this.bills.length && this.#types.unknownTypes.length > 0; at++)
        await this.#searchBill(this.bills[at] as BillRun);
      await Promise.all(this.bills.slice(at).map((bill) => this.#start(() => this.#searchBill(bill))));
      await Promise.all(this.#tasks);
      this.#judgeAll();
      await resolveSpeakers(this, [...this.speakers.byKey.values()], true);
      return undefined;
    } catch (error) {
      this.#stopAfter(error);
      await Promise.allSettled(this.#tasks);
      await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
      this.#judgeAll();
      return this.#failure ?? { error };
    } finally {
      this.#stop.release();
    }
  }

  /**
   * Searches one bill. If the first pages of its first searches have rows, sends the later searches, along with the requests for further
   * pages and for speakers.
   */
  async #searchBill(bill: BillRun): Promise<void> {
    const { plan, runs } = bill;
    await this.#send(
      bill,
      searchesFor(
        plan.variants.filter(({ isLater }) => !isLater),
        plan,
      ),
    );
    await this.#send(bill, [...searchesFor(this.#laterVariants(bill), plan), ...this.#typeSearches(bill)]);
    await this.#readAll(bill);
    const untyped = runs.filter((run) => this.#types.untypedRows(run) > 0).map(({ search }) => search);
    await this.#send(bill, searchesFor(untyped, { ...plan, combineTypes: false }));
    await this.#readAll(bill);
  }

  async #readAll({ runs }: BillRun): Promise<void> {
    await Promise.all(runs.map(({ reader }) => this.#start(reader.readOthers)));
  }

  /** Searches of one type, which show its number: for the query with the most rows of unknown type. */
  #typeSearches({ plan, runs }: BillRun): SpeechSearch[] {
    const [first] = [...runs].sort((a, b) => this.#types.untypedRows(b) - this.#types.untypedRows(a));
    if (first === undefined || this.#types.untypedRows(first) === 0) return [];
    return searchesFor([first.search], { ...plan, videotypes: this.#types.unknownTypes, combineTypes: false });
  }

  /** The later queries for a bill, if the first ones found something: without those of the other chamber and those already covered. */
  #laterVariants({ plan, runs }: BillRun): QueryVariant[] {
    const rows = runs.flatMap(({ reader }) => reader.firstPage);
    if (rows.length === 0) return [];
    const kinds = plan.criteria && possibleKindsOf(plan.criteria, rows, this.#read);
    const isPossible = ({ kind }: QueryVariant) => kind === undefined || kinds?.includes(kind);
    return plan.variants.filter((one) => one.isLater && isPossible(one) && !isCovered(one.query, runs));
  }

  /** Sends searches and waits for their first pages. Starts the requests for further pages and for speakers. */
  async #send(bill: BillRun, searches: readonly SpeechSearch[]): Promise<void> {
    const readers = new Set(bill.runs.map(({ reader }) => reader));
    const runs = searches.map((search) => ({ search, reader: this.#readerOf(search) }));
    const newRuns = runs.filter(({ reader }) => !readers.has(reader));
    if (newRuns.length === 0) return;
    bill.runs.push(...newRuns);
    await Promise.all(newRuns.map(({ reader }) => this.#start(reader.readFirst)));
    this.#types.learn(newRuns);
    for (const { reader } of newRuns) this.#start(reader.readOthers);
    const { accepted } = this.#judge(bill, true).judged;
    this.#start(() => resolveSpeakers(this, [...speakersOf(accepted, this.plan).byKey.values()], false));
  }

  #readerOf(search: SpeechSearch): SearchReader {
    const key = JSON.stringify(search.request.query);
    const reader =
      this.#readers.get(key) ?? new SearchReader(this.client, this.plan, search, this.combined, this.signal);
    this.#readers.set(key, reader);
    return reader;
  }

  /** When the budget is used up, requests that are in flight may finish. */
  #stopAfter(error: unknown): void {
    if ((error as { code?: string }).code !== "OUT_OF_REQUESTS") this.#stop.abort();
  }

  /** Starts a task. The first one that fails stops all. */
  #start(task: () => Promise<void>): Promise<void> {
    const promise = task().catch((error: unknown) => {
      this.#failure ??= { error };
      this.#stopAfter(error);
      throw error;
    });
    promise.catch(() => undefined);
    this.#tasks.push(promise);
    return promise;
  }

  #judgeAll(): void {
    for (const bill of this.bills) Object.assign(bill, this.#judge(bill, false));
  }

  #judge({ plan, runs }: Pick<BillRun, "plan" | "runs">, onlyFirst: boolean): Pick<BillRun, "merged" | "judged"> {
    const merged = mergeSpeeches(runs, (row: Row) => this.#types.typeOf(row), onlyFirst);
    return { merged, judged: judgeSpeeches(plan.criteria, merged.speeches, this.plan.minConfidence, this.#read) };
  }
}

function withBudget(client: ClientContext, budget: RequestBudget): ClientContext {
  const { requester } = client;
  return {
    ...client,
    requester: { request: (path, query, context) => requester.request(path, query, { ...context, budget }) },
  };
}
