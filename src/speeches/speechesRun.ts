import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { captionReader, judgeSpeeches, possibleKinds } from "./judgeSpeeches.js";
import { equalForms, type LaterChoice, laterVariants, type SkippedVariant, spokenTitles } from "./laterVariants.js";
import { learnedTypes } from "./learnedTypes.js";
import { type BillPlan, type SpeechesPlan, type SpeechSearch, searchesFor, searchFor } from "./planSpeeches.js";
import { CUT, type Resolutions, resolveSpeakers } from "./resolveSpeakers.js";
import {
  distinctRuns,
  isCut,
  type MergedSpeeches,
  mergeSpeeches,
  runSearches,
  type SearchRun,
  SearchRuns,
  videoTypesOf,
} from "./runSearches.js";
import { speakersOf } from "./speakers.js";
import { TITLE_STEM } from "./variant.js";

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun {
  readonly combined: CombinedRecorder;
  readonly captionOf = captionReader();
  /** Grows while the call runs: what was found decides about further searches. */
  readonly searchesByBill: SearchRun[][];
  /** By bill: the queries that were not sent. */
  skippedByBill: ReadonlyArray<readonly SkippedVariant[]>;
  readonly resolutions: Resolutions = new Map();
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

  /** The speeches on each bill that have been found so far. */
  merged(): MergedSpeeches[] {
    return this.searchesByBill.map((runs) =>
      mergeSpeeches(runs, ({ videoTypeId }) => this.#types.get(String(videoTypeId))),
    );
  }

  /**
   * Sends the requests. With a budget, one search follows another, and the speakers of each are looked up before the next one:
   * whatever the budget allows is then part of the result.
   *
   * @param turn resolves when earlier calls of the client have looked up their speakers
   */
  async find(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, combined } = this;
    const isBudgeted = plan.maxRequests !== undefined;
    try {
      this.#types = await this.#learned.before(signal);
      for (let runs = this.#next(); runs.length > 0; runs = this.#next()) {
        for (const group of isBudgeted ? surestFirst(runs).map((run) => [run]) : [runs]) {
          await runSearches(this.#client, plan, group, combined, signal);
          this.#types = videoTypesOf(this.searches, this.#types);
          if (isBudgeted) await this.#lookUp(group, signal, turn);
        }
        this.#learned.publish(this.#types);
      }
    } finally {
      this.#learned.publish(this.#types);
    }
    await this.#lookUp(this.searches, signal, turn);
  }

  /** Adds the searches that follow from what has been found, and returns those that are new. */
  #next(): SearchRun[] {
    const { plan, searchesByBill, captionOf } = this;
    const sent = new Set(this.searches.map(({ recorder }) => recorder));
    const names = new Set(this.#types.values());
    const knowsTypes = plan.videotypes.every((type) => names.has(type));
    const equal = new Set(plan.bills.flatMap((bill, at) => equalForms(bill, searchesByBill[at] ?? [])));
    const merged = this.merged();
    const choices = plan.bills.map((bill, at): LaterChoice => {
      const runs = searchesByBill[at] ?? [];
      const kinds = bill.judged === undefined ? [] : possibleKinds(bill.judged, merged[at]?.speeches ?? [], captionOf);
      const { send, skipped } = laterVariants(bill, runs, kinds, equal);
      return { send: [...spokenTitles(bill, runs, captionOf), ...send], skipped };
    });
    this.skippedByBill = choices.map(({ skipped }) => skipped);
    let isLearning = false;
    for (const [at, { send }] of choices.entries()) {
      const bill = plan.bills[at] as BillPlan;
      const own = searchesByBill[at] as SearchRun[];
      // The first bill of a list shows the numbers of the types, so that one request for each query is enough for the others.
      if (own.length === 0 && at > 0 && !knowsTypes && sent.size === 0 && plan.maxRequests === undefined) continue;
      const known = new Set(own.map(({ recorder }) => recorder));
      const add = (searches: readonly SpeechSearch[]) => {
        const runs = searches.map((search) => this.#runs.runOf(search));
        const fresh = runs.filter(({ recorder }) => !known.has(recorder));
        own.push(...fresh);
        for (const { recorder } of fresh) known.add(recorder);
        return fresh.length > 0;
      };
      for (const run of own.filter(isCut)) add(searchesByType(run, bill, this.#types));
      // One search shows the numbers of the types for all others.
      for (const run of own) if (!isLearning) isLearning = add(searchesByType(run, bill, this.#types));
      add(searchesFor(own.length === 0 ? bill.variants : send, bill, knowsTypes));
    }
    return this.searches.filter(({ recorder }) => !sent.has(recorder));
  }

  /** Looks up the speakers on the bills for which some searches have run. */
  async #lookUp(ran: readonly SearchRun[], signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, people, searchesByBill, captionOf, resolutions, combined } = this;
    const recorders = new Set(ran.map(({ recorder }) => recorder));
    const merged = this.merged();
    const kept = searchesByBill.flatMap((runs, at) =>
      runs.some(({ recorder }) => recorders.has(recorder))
        ? judgeSpeeches(merged[at] as MergedSpeeches, plan.bills[at]?.judged, captionOf, plan).kept
        : [],
    );
    await turn();
    const speakers = speakersOf(kept, plan).byKey.values();
    await resolveSpeakers(this.#client, plan, people, speakers, resolutions, this.searches, combined, signal);
  }
}

/**
 * The searches of one type that a search of all types needs besides: all of them if it was cut, otherwise those of the types whose numbers
 * no search has shown yet, if its rows have unknown ones. Once every type has shown its number, the others are other types.
 */
function searchesByType(run: SearchRun, bill: BillPlan, types: ReadonlyMap<string, string>): SpeechSearch[] {
  const { search, rows } = run;
  if (search.videotype !== undefined || search.form === TITLE_STEM) return [];
  const isKnown = ({ videoTypeId }: Row) => types.has(String(videoTypeId));
  if (!isCut(run) && rows.every(isKnown)) return [];
  const hasNumbers = rows.every(({ videoTypeId }) => videoTypeId !== undefined && videoTypeId !== null);
  const shown = hasNumbers && !isCut(run) ? new Set(types.values()) : new Set();
  return bill.videotypes.filter((type) => !shown.has(type)).map((type) => searchFor(search, bill, type));
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
