import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import { notebookHost } from "../call/notebookHost.js";
import type { RowLookups } from "../call/rowLookups.js";
import { type Speakers, speakersOf } from "../members/speakers.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { CallSignal } from "../util/callSignal.js";
import { captionReader, type JudgedSpeeches, judgeSpeeches, possibleKindsOf } from "./judgeSpeeches.js";
import { type MergedSpeeches, mergeSpeeches } from "./mergeSpeeches.js";
import { type BillPlan, type SpeechesPlan, type SpeechSearch, searchesFor } from "./planSpeeches.js";
import type { QueryVariant } from "./queryVariants.js";
import { CUT, type Resolutions, resolveSpeakers, type SpeakerLookups } from "./resolveSpeakers.js";
import { isReplaced, SearchReader, type SearchRun } from "./searchReader.js";
import { isFoundByOther } from "./spelling.js";
import { VideoTypes } from "./videoTypes.js";

export interface BillRun {
  readonly plan: BillPlan;
  /** The searches in the order in which they were sent. */
  readonly runs: SearchRun[];
  /** The queries that were not sent, and why. */
  skipped: ReadonlyArray<QueryVariant & { readonly reason: string }>;
  merged: MergedSpeeches;
  judged: JudgedSpeeches;
}

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun implements SpeakerLookups {
  readonly combined: CombinedRecorder;
  readonly bills: readonly BillRun[];
  readonly client: ClientContext;
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
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.#stop = new CallSignal([plan.signal, notebookHost().signal]);
    this.#types = new VideoTypes(plan.videotypes);
    this.bills = plan.bills.map((bill) => {
      const merged = mergeSpeeches([], () => undefined);
      return { plan: bill, runs: [], skipped: [], merged, judged: { kept: [], rejected: [] } };
    });
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

  /** Why the result may be incomplete although its searches are complete. */
  get capped(): string | undefined {
    const isCut = [...this.resolutions.values()].some((one) => "unresolved" in one && one.unresolved === CUT);
    return isCut ? CUT : undefined;
  }

  /** Sends the requests: the bills at the same time, once a bill has shown which numbers rows have for the video types. */
  async find(): Promise<void> {
    try {
      let at = 0;
      for (; at < this.bills.length && !this.#types.isComplete; at++) await this.#searchBill(this.bills[at] as BillRun);
      await Promise.all(this.bills.slice(at).map((bill) => this.#start(() => this.#searchBill(bill))));
      await Promise.all(this.#tasks);
      this.#arrange();
      await resolveSpeakers(this, [...this.speakers.byKey.values()], true);
    } catch (error) {
      this.#stop.abort();
      await Promise.allSettled(this.#tasks);
      await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
      this.#arrange();
      throw this.#failure?.error ?? error;
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
    let typed = this.#types.unclear(runs);
    await this.#send(bill, [...searchesFor(this.#laterVariants(bill), plan), ...this.#byType(bill, typed)]);
    for (;;) {
      await Promise.all(runs.map(({ reader }) => this.#start(reader.others)));
      this.#types.settle(runs, typed);
      typed = this.#types.unclear(runs);
      if (typed === undefined) break;
      await this.#send(bill, this.#byType(bill, typed));
    }
    const instead = runs.filter(isReplaced).flatMap(({ search }) => search.covers ?? [search]);
    await this.#send(bill, searchesFor(instead, { ...plan, combineTypes: false }));
    await Promise.all(runs.map(({ reader }) => this.#start(reader.others)));
  }

  /** The searches that show which video types the rows of a search have. */
  #byType({ plan }: BillRun, run: SearchRun | undefined): SpeechSearch[] {
    if (run === undefined) return [];
    return searchesFor([run.search], { ...plan, videotypes: this.#types.missing, combineTypes: false });
  }

  /** The other queries for a bill, unless the first ones found nothing, or the texts name the other chamber. */
  #laterVariants(bill: BillRun): QueryVariant[] {
    const { plan, runs } = bill;
    const later = plan.variants.filter(({ isLater }) => isLater);
    const rows = runs.flatMap(({ reader }) => reader.rows.slice(0, reader.firstRows));
    const kinds = possibleKindsOf(plan.judged, rows, this.#read);
    const reasonFor = ({ kind, query }: QueryVariant) => {
      if (rows.length === 0) return "the first searches found nothing";
      if (kind !== undefined && !kinds.includes(kind)) return "the texts name another chamber";
      return isFoundByOther(query, runs) ? "another query finds it, too" : undefined;
    };
    bill.skipped = later.flatMap((one) => {
      const reason = reasonFor(one);
      return reason === undefined ? [] : { ...one, reason };
    });
    return later.filter((one) => reasonFor(one) === undefined);
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
    const key = JSON.stringify([search.request.query, search.covers !== undefined]);
    const reader =
      this.#readers.get(key) ?? new SearchReader(this.client, this.plan, search, this.combined, this.signal);
    this.#readers.set(key, reader);
    return reader;
  }

  /** Runs a task beside the others. The first one that fails stops all. */
  #start(task: () => Promise<void>): Promise<void> {
    const started = task().catch((error: unknown) => {
      this.#failure ??= { error };
      this.#stop.abort();
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

  #judge({ plan, runs }: BillRun, onlyFirst: boolean): Pick<BillRun, "merged" | "judged"> {
    const merged = mergeSpeeches(runs, (row: Row) => this.#types.of(row), onlyFirst);
    return { merged, judged: judgeSpeeches(plan.judged, merged.speeches, this.plan.minConfidence, this.#read) };
  }
}

/** With a budget, requests are sent one after another in the order of the plan: no response decides what the budget is spent on. */
function withBudget(client: ClientContext, maxRequests: number): ClientContext {
  const budget = new RequestBudget(maxRequests);
  const { requester } = client;
  let last: Promise<unknown> = Promise.resolve();
  const request: typeof requester.request = (path, query, context) => {
    const sent = last.then(() => requester.request(path, query, { ...context, budget }));
    last = sent.catch(() => undefined);
    return sent;
  };
  return { ...client, requester: { request } };
}
