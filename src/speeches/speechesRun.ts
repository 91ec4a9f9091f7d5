import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { abortedError } from "../errors/index.js";
import { type Speakers, speakersOf } from "../members/speakers.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import { CallSignal, untilAborted } from "../util/callSignal.js";
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
import { CUT, type Resolutions, resolveSpeakers, type SpeakerLookups } from "./resolveSpeakers.js";
import {
  distinctRuns,
  isReplaced,
  type MergedSpeeches,
  mergeSpeeches,
  SAME_FORM,
  SearchReader,
  type SearchRun,
  videoTypesOf,
} from "./runSearches.js";

export interface BillRun {
  readonly plan: BillPlan;
  readonly judge: BillJudge;
  /** Grows while the call runs: what was found decides about further searches. */
  readonly runs: SearchRun[];
  /** The queries that were not sent. */
  skipped: readonly SkippedVariant[];
  merged: MergedSpeeches;
  judged: JudgedSpeeches;
}

/** Names of video types by the number that rows have. */
type TypeNames = ReadonlyMap<string, string>;
const NO_TYPES: TypeNames = new Map();

/** What the calls of a client that have ended learned about the numbers of video types. */
const learnedTypes = new WeakMap<RowLookups, TypeNames>();

/** Resolves when the calls so far have looked up their speakers: one after another, so that a replay sends the same requests as the recording. */
const earlierLookups = new WeakMap<RowLookups, Promise<void>>();

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun implements SpeakerLookups {
  readonly combined: CombinedRecorder;
  readonly bills: readonly BillRun[];
  readonly client: ClientContext;
  speakers: Speakers = speakersOf([], { chamber: "any", inferSpeakers: false });
  readonly resolutions: Resolutions = new Map();
  /** Searches for one row that shows the number of its type. */
  readonly probes: SearchRun[] = [];
  /** Types and numbers for which such a search has been sent: `Speech 16`. */
  readonly #probed = new Set<string>();
  readonly #readers = new Map<string, SearchReader>();
  readonly #waiting: SearchRun[] = [];
  /** Forms that the service takes for others. */
  #equal: ReadonlySet<string> = new Set();
  #types: TypeNames;
  #lookups: Promise<void> = Promise.resolve();
  readonly #isLimited: boolean;
  /** Aborted by the first failure, by the caller, or by the notebook. */
  readonly #stop: CallSignal;
  readonly #earlierLookups: Promise<void>;
  #endLookups: () => void = () => undefined;

  constructor(
    client: ClientContext,
    readonly people: RowLookups,
    readonly plan: SpeechesPlan,
  ) {
    this.client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.combined = new CombinedRecorder(this.client, buildRequest("mentions", { query: "bill" }));
    this.#isLimited = plan.maxRequests !== undefined;
    this.#stop = new CallSignal([plan.signal, client.output.host.signal]);
    const earlier = earlierLookups.get(people) ?? Promise.resolve();
    this.#earlierLookups = earlier;
    const ended = new Promise<void>((resolve) => {
      this.#endLookups = resolve;
    });
    earlierLookups.set(
      people,
      earlier.then(() => ended),
    );
    this.#types = learnedTypes.get(people) ?? NO_TYPES;
    const read = captionReader();
    this.bills = plan.bills.map((bill) => ({
      plan: bill,
      judge: new BillJudge(bill.judged, plan.minConfidence, read),
      runs: [],
      skipped: [],
      merged: mergeSpeeches([], NO_TYPES),
      judged: { kept: [], rejected: [] },
    }));
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** All searches, each once. */
  get searches(): SearchRun[] {
    return distinctRuns(this.bills.flatMap(({ runs }) => runs));
  }

  /** Why the result may be incomplete although its searches are complete. */
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
    const tasks: Promise<void>[] = [];
    let failure: { readonly error: unknown } | undefined;
    const start = (task: () => Promise<void>): Promise<void> => {
      const before = this.#isLimited ? tasks.at(-1) : undefined;
      const started = (before === undefined ? task() : before.then(task)).catch((error: unknown) => {
        failure ??= { error };
        this.#stop.abort();
        throw error;
      });
      started.catch(() => undefined);
      tasks.push(started);
      return started;
    };
    try {
      await this.#search(start);
      await Promise.all(tasks);
      await this.#close();
      await this.#lookUp();
    } catch (error) {
      await Promise.allSettled(tasks);
      await this.#close();
      throw failure?.error ?? error;
    } finally {
      this.#stop.release();
      learnedTypes.set(this.people, new Map([...this.#types, ...(learnedTypes.get(this.people) ?? [])]));
      this.#endLookups();
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
      if (at > 0) {
        void start(() => {
          this.#arrange();
          return this.#lookUp();
        });
      }
      await Promise.all(this.#isLimited ? readFirst() : first);
      open = fresh;
      this.#learnTypes();
    }
  }

  #learnTypes(): void {
    this.#types = videoTypesOf([...this.searches, ...this.probes], this.#types);
  }

  /** Ends all searches, and arranges what they found. */
  async #close(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
    this.#learnTypes();
    this.#arrange();
  }

  /** Merges and judges what was found so far. */
  #arrange(): void {
    const wanted = new Map([...this.#types].filter(([, type]) => this.plan.videotypes.includes(type)));
    for (const bill of this.bills) {
      bill.merged = mergeSpeeches(bill.runs, wanted);
      bill.judged = bill.judge.judge(bill.merged.speeches);
    }
    const kept = this.bills.flatMap(({ judged }) => judged.kept);
    this.speakers = speakersOf(kept, this.plan);
  }

  #runOf(search: SpeechSearch): SearchRun {
    const key = JSON.stringify([search.request.query, search.isProbe]);
    const reader =
      this.#readers.get(key) ?? new SearchReader(this.client, this.plan, search, this.combined, this.signal);
    this.#readers.set(key, reader);
    return { search, reader, recorder: reader.recorder, rows: reader.rows };
  }

  /** The searches to begin: those that follow from what has been found, or with a budget the surest of them. */
  #next(): SearchRun[] {
    this.#equal = new Set(this.bills.flatMap(({ plan, runs }) => equalForms(plan, runs)));
    if (this.#waiting.length === 0) this.#waiting.push(...this.#following());
    this.#waiting.unshift(...this.#probe());
    return this.#waiting.splice(0, this.#isLimited ? 1 : this.#waiting.length);
  }

  /** Adds the searches that follow from what has been found, and returns those that are new. */
  #following(): SearchRun[] {
    const sent = new Set(this.searches.map(({ reader }) => reader));
    for (const bill of this.bills) {
      const { plan, runs } = bill;
      const add = (searches: readonly SpeechSearch[]) => {
        const known = new Set(runs.map(({ reader }) => reader));
        runs.push(...searches.map((search) => this.#runOf(search)).filter(({ reader }) => !known.has(reader)));
      };
      if (runs.length === 0) {
        add(searchesFor(firstVariants(plan), plan));
        continue;
      }
      const kinds = bill.judge.kindsIn([...new Set(runs.flatMap(({ rows }) => rows))]);
      const { send, skipped } = laterVariants(plan, runs, kinds, this.#equal);
      for (const run of runs.filter(isReplaced))
        if (run.search.part !== "title" || !run.search.isWide) add(searchesFor([run.search], plan, true));
      // A title is still unsent here only if its stem finds too much.
      for (const one of send) add(searchesFor([one], plan, one.part === "title" && !one.isLater ? true : undefined));
      const order = plan.variants.map(({ query }) => query);
      const rank = ({ search }: SearchRun) =>
        order.includes(search.query) ? order.indexOf(search.query) : order.length;
      runs.sort((a, b) => rank(a) - rank(b));
      bill.skipped = skipped;
    }
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
      const { plan } = this.bills.find(({ runs: own }) => own.some((one) => one.reader === reader)) as BillRun;
      const probe = this.#runOf({ ...searchFor(search, plan, type), isProbe: true });
      this.probes.push(probe);
      return [probe];
    }
    return [];
  }

  /** Finds out the titles of the speakers so far, after those of the stage before. */
  async #lookUp(): Promise<void> {
    const [before, speakers] = [this.#lookups, [...this.speakers.byKey.values()]];
    this.#lookups = (async () => {
      await before;
      await untilAborted(this.#earlierLookups, this.signal).catch((cause) => {
        throw abortedError(undefined, cause);
      });
      await resolveSpeakers(this, speakers);
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
