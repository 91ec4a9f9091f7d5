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
import { isFoundByOther, SearchReader, type SearchRun, VideoTypes } from "./searchReader.js";

export interface BillRun {
  readonly plan: BillPlan;
  /** The searches in the order in which they were sent. */
  readonly runs: SearchRun[];
  merged: MergedSpeeches;
  judged: JudgedSpeeches;
}

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun implements SpeakerLookups {
  /** Sends no more requests than the call may. */
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
      this.bills.flatMap(({ judged }) => judged.kept),
      this.plan,
    );
  }

  /**
   * Sends the requests: the bills at the same time, once a bill has shown which numbers rows have for the video types.
   *
   * @returns the first failure; what was found before it is arranged as well
   */
  async find(): Promise<{ readonly error: unknown } | undefined> {
    try {
      let at = 0;
      for (; at < this.bills.length && this.#types.missing.length > 0; at++)
        await this.#searchBill(this.bills[at] as BillRun);
      await Promise.all(this.bills.slice(at).map((bill) => this.#start(() => this.#searchBill(bill))));
      await Promise.all(this.#tasks);
      this.#arrange();
      await resolveSpeakers(this, [...this.speakers.byKey.values()], true);
      return undefined;
    } catch (error) {
      this.#stopAfter(error);
      await Promise.allSettled(this.#tasks);
      await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
      this.#arrange();
      return this.#failure ?? { error };
    } finally {
      this.#stop.release();
    }
  }

  /**
   * Searches one bill. If its first searches find something, all others are sent, together with the requests for further pages and for the
   * speakers so far: only the first pages decide, so that none waits for another.
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
    await this.#send(bill, [...searchesFor(this.#laterVariants(bill), plan), ...this.#byType(bill)]);
    await this.#readAll(bill);
    const unclear = runs.filter((run) => this.#types.unclearRows(run) > 0).map(({ search }) => search);
    await this.#send(bill, searchesFor(unclear, { ...plan, combineTypes: false }));
    await this.#readAll(bill);
  }

  async #readAll({ runs }: BillRun): Promise<void> {
    await Promise.all(runs.map(({ reader }) => this.#start(reader.others)));
  }

  /** The searches that show which video types rows have: for the query that found most rows of which that is not clear. */
  #byType({ plan, runs }: BillRun): SpeechSearch[] {
    const [most] = [...runs].sort((a, b) => this.#types.unclearRows(b) - this.#types.unclearRows(a));
    if (most === undefined || this.#types.unclearRows(most) === 0) return [];
    return searchesFor([most.search], { ...plan, videotypes: this.#types.missing, combineTypes: false });
  }

  /** The other queries for a bill, if the first ones found something. Those of the other chamber and those that one of the first covers find nothing more. */
  #laterVariants({ plan, runs }: BillRun): QueryVariant[] {
    const rows = runs.flatMap(({ reader }) => reader.firstPage);
    if (rows.length === 0) return [];
    const kinds = plan.judged && possibleKindsOf(plan.judged, rows, this.#read);
    const isPossible = ({ kind }: QueryVariant) => kind === undefined || kinds?.includes(kind);
    return plan.variants.filter((one) => one.isLater && isPossible(one) && !isFoundByOther(one.query, runs));
  }

  /** Sends searches and waits for their first pages. The other pages and the speakers of what was found come meanwhile. */
  async #send(bill: BillRun, searches: readonly SpeechSearch[]): Promise<void> {
    const readers = new Set(bill.runs.map(({ reader }) => reader));
    const runs = searches.map((search) => ({ search, reader: this.#readerOf(search) }));
    const added = runs.filter(({ reader }) => !readers.has(reader));
    if (added.length === 0) return;
    bill.runs.push(...added);
    await Promise.all(added.map(({ reader }) => this.#start(reader.first)));
    this.#types.learn(added);
    for (const { reader } of added) this.#start(reader.others);
    const { kept } = this.#judge(bill, true).judged;
    this.#start(() => resolveSpeakers(this, [...speakersOf(kept, this.plan).byKey.values()], false));
  }

  #readerOf(search: SpeechSearch): SearchReader {
    const key = JSON.stringify(search.request.query);
    const reader =
      this.#readers.get(key) ?? new SearchReader(this.client, this.plan, search, this.combined, this.signal);
    this.#readers.set(key, reader);
    return reader;
  }

  /** What is on the wire when the budget is used up is kept. */
  #stopAfter(error: unknown): void {
    if ((error as { code?: string }).code !== "OUT_OF_REQUESTS") this.#stop.abort();
  }

  /** Runs a task beside the others. The first one that fails stops all. */
  #start(task: () => Promise<void>): Promise<void> {
    const started = task().catch((error: unknown) => {
      this.#failure ??= { error };
      this.#stopAfter(error);
      throw error;
    });
    started.catch(() => undefined);
    this.#tasks.push(started);
    return started;
  }

  /** Merges and judges what was found. */
  #arrange(): void {
    for (const bill of this.bills) Object.assign(bill, this.#judge(bill, false));
  }

  #judge({ plan, runs }: Pick<BillRun, "plan" | "runs">, onlyFirst: boolean): Pick<BillRun, "merged" | "judged"> {
    const merged = mergeSpeeches(runs, (row: Row) => this.#types.of(row), onlyFirst);
    return { merged, judged: judgeSpeeches(plan.judged, merged.speeches, this.plan.minConfidence, this.#read) };
  }
}

function withBudget(client: ClientContext, budget: RequestBudget): ClientContext {
  const { requester } = client;
  return {
    ...client,
    requester: { request: (path, query, context) => requester.request(path, query, { ...context, budget }) },
  };
}
