import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { RequestBudget } from "../service/http/requestBudget.js";
import { buildRequest } from "../service/operations/request.js";
import { titlePatterns } from "./judge/titlePattern.js";
import { Captions, judgeSpeeches, possibleKinds } from "./judgeSpeeches.js";
import { type BillPlan, type SpeechesPlan, type SpeechSearch, searchesFor } from "./planSpeeches.js";
import { type QueryVariant, variant } from "./queryVariants.js";
import { repairTitle, vocabularyOf } from "./repairTitle.js";
import { CUT, idsToLookUp, type Resolutions, resolveSpeakers } from "./resolveSpeakers.js";
import {
  distinctRuns,
  type FormYields,
  mergeSpeeches,
  prepareSearches,
  runSearches,
  type SearchRun,
} from "./runSearches.js";
import { speakersOf } from "./speakers.js";

/** What a client remembers from one call to the next. */
export interface SpeechesMemory {
  readonly people: RowLookup;
  readonly forms: FormYields;
}

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun {
  readonly combined: CombinedRecorder;
  readonly captions = new Captions();
  /** Grows while the call runs: texts may show the title of a bill that lost letters. */
  readonly searchesByBill: SearchRun[][];
  readonly resolutions: Resolutions = new Map();
  readonly #client: ClientContext;

  constructor(
    client: ClientContext,
    readonly memory: SpeechesMemory,
    readonly plan: SpeechesPlan,
  ) {
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.#client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    this.searchesByBill = prepareSearches(
      plan.bills.map(({ searches }) => searches),
      this.combined,
    );
  }

  /** All searches, each once. */
  get searches(): SearchRun[] {
    return distinctRuns(this.searchesByBill.flat());
  }

  /** Why the result may be incomplete although the searches are complete. */
  get capped(): string | undefined {
    return [...this.resolutions.values()].some((one) => "unresolved" in one && one.unresolved === CUT)
      ? CUT
      : undefined;
  }

  /**
   * Sends the requests. With a budget, one search follows another, and the speakers of each are looked up before the next one:
   * whatever the budget allows is then part of the result.
   *
   * @param turn resolves when earlier calls of the client have looked up their speakers
   */
  async find(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, memory } = this;
    const isBudgeted = plan.maxRequests !== undefined;
    const find = async (runs: readonly SearchRun[]) => {
      for (const group of isBudgeted ? byYield(runs, memory.forms).map((run) => [run]) : [runs]) {
        await runSearches(this.#client, plan, group, this.combined, signal);
        if (isBudgeted) await this.#lookUp(group, signal, turn);
      }
    };
    await find(this.searches);
    const more = prepareSearches(laterSearches(plan, this.searchesByBill, this.captions), this.combined);
    more.forEach((runs, at) => void this.searchesByBill[at]?.push(...runs));
    await find(distinctRuns(more.flat()));
    await this.#lookUp(this.searches, signal, turn);
    this.searchesByBill.forEach((runs) => void memory.forms.add(runs, mergeSpeeches(runs).newRows));
  }

  /** Looks up the speakers on the bills for which some searches have run. */
  async #lookUp(ran: readonly SearchRun[], signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, memory, searchesByBill, captions, resolutions, combined } = this;
    const recorders = new Set(ran.map(({ recorder }) => recorder));
    const kept = searchesByBill.flatMap((runs, at) =>
      runs.some(({ recorder }) => recorders.has(recorder))
        ? judgeSpeeches(mergeSpeeches(runs), plan.bills[at]?.judged, captions, plan).kept
        : [],
    );
    await turn();
    const ids = idsToLookUp(speakersOf(kept, plan).byKey.values()).filter((id) => !resolutions.has(id));
    await resolveSpeakers(this.#client, plan, memory.people, ids, resolutions, this.searches, combined, signal);
  }
}

/** The runs by form, the forms that found most first; within a form in the order of the bills. */
function byYield(runs: readonly SearchRun[], forms: FormYields): SearchRun[] {
  const order = forms.order(runs.map(({ search }) => search.form));
  return [...runs].sort((a, b) => order.indexOf(a.search.form) - order.indexOf(b.search.form));
}

function withBudget(client: ClientContext, maxRequests: number): ClientContext {
  const budget = new RequestBudget(maxRequests);
  const { requester } = client;
  return {
    ...client,
    requester: { request: (path, query, context) => requester.request(path, query, { ...context, budget }) },
  };
}

/**
 * The searches that follow from what was found, by bill: the other forms of a number whose kind is now known, and a title
 * that lost letters as the texts say it.
 */
function laterSearches(
  { bills, videotypes }: SpeechesPlan,
  searchesByBill: readonly SearchRun[][],
  captions: Captions,
): SpeechSearch[][] {
  return bills.map((bill, at) => {
    const runs = searchesByBill[at] ?? [];
    const variants = [...spokenTitles(bill, runs, captions), ...otherForms(bill, runs, captions)];
    return searchesFor(variants, videotypes, bill);
  });
}

function otherForms({ later, judged }: BillPlan, runs: readonly SearchRun[], captions: Captions): QueryVariant[] {
  if (later.length === 0) return [];
  const kinds = possibleKinds(judged, mergeSpeeches(runs).speeches, captions);
  const isKnown = kinds.length === 1;
  return later
    .filter(({ kind }) => kind === undefined || kinds.includes(kind))
    .map(({ query, form, isAmbiguous }) => ({ query, form, isAmbiguous: isAmbiguous && !isKnown }));
}

/** A title that lost letters, if words of the texts repair it in another way. */
function spokenTitles(
  { variants, damagedTitle }: BillPlan,
  runs: readonly SearchRun[],
  captions: Captions,
): QueryVariant[] {
  if (damagedTitle === undefined) return [];
  const words = new Set(
    runs.flatMap(({ rows }) => rows.flatMap((row) => captions.of(row)?.words ?? [])).map(({ text }) => text),
  );
  const repaired = repairTitle(damagedTitle, vocabularyOf(words));
  const known = new Set(variants.map(({ query }) => query.toLowerCase()));
  return titlePatterns(repaired?.title ?? "")
    .map(({ title }) => variant(title, "title in the texts"))
    .filter(({ query }) => !known.has(query.toLowerCase()));
}
