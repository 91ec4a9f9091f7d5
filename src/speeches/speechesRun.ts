import type { ClientContext } from "../call/clientContext.js";
import { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { RequestBudget } from "../service/http/requester.js";
import { buildRequest } from "../service/operations/request.js";
import { titlePatterns } from "./judge/titlePattern.js";
import { captionReader, judgeSpeeches, possibleKinds } from "./judgeSpeeches.js";
import { type BillPlan, type SpeechesPlan, searchesFor } from "./planSpeeches.js";
import { type QueryVariant, variant } from "./queryVariants.js";
import { repairTitle, vocabularyOf } from "./repairTitle.js";
import { CUT, type Resolutions, resolveSpeakers } from "./resolveSpeakers.js";
import { distinctRuns, mergeSpeeches, prepareSearches, runSearches, type SearchRun } from "./runSearches.js";
import { speakersOf } from "./speakers.js";

/** The requests of one call: its searches, and the lookups of the speakers whom they found. */
export class SpeechesRun {
  readonly combined: CombinedRecorder;
  readonly captionOf = captionReader();
  /** Grows while the call runs: texts may show the title of a bill that lost letters. */
  readonly searchesByBill: SearchRun[][];
  readonly resolutions: Resolutions = new Map();
  readonly #client: ClientContext;

  constructor(
    client: ClientContext,
    readonly people: RowLookup,
    readonly plan: SpeechesPlan,
  ) {
    this.combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
    this.#client = plan.maxRequests === undefined ? client : withBudget(client, plan.maxRequests);
    const searches = plan.bills.map((bill) => bill.searches);
    this.searchesByBill = prepareSearches(searches, this.combined);
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
    const { plan, combined, searchesByBill, captionOf } = this;
    const isBudgeted = plan.maxRequests !== undefined;
    const find = async (runs: readonly SearchRun[]) => {
      for (const group of isBudgeted ? surestFirst(runs).map((run) => [run]) : [runs]) {
        await runSearches(this.#client, plan, group, combined, signal);
        if (isBudgeted) await this.#lookUp(group, signal, turn);
      }
    };
    await find(this.searches);
    const later = plan.bills.map((bill, at) => {
      const runs = searchesByBill[at] ?? [];
      const variants = [...spokenTitles(bill, runs, captionOf), ...otherForms(bill, runs, captionOf)];
      return searchesFor(variants, plan.videotypes, bill);
    });
    const more = prepareSearches(later, combined);
    more.forEach((runs, at) => void searchesByBill[at]?.push(...runs));
    await find(distinctRuns(more.flat()));
    await this.#lookUp(this.searches, signal, turn);
  }

  /** Looks up the speakers on the bills for which some searches have run. */
  async #lookUp(ran: readonly SearchRun[], signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const { plan, people, searchesByBill, captionOf, resolutions, combined } = this;
    const recorders = new Set(ran.map(({ recorder }) => recorder));
    const kept = searchesByBill.flatMap((runs, at) =>
      runs.some(({ recorder }) => recorders.has(recorder))
        ? judgeSpeeches(mergeSpeeches(runs), plan.bills[at]?.judged, captionOf, plan).kept
        : [],
    );
    await turn();
    const speakers = speakersOf(kept, plan).byKey.values();
    await resolveSpeakers(this.#client, plan, people, speakers, resolutions, this.searches, combined, signal);
  }
}

/** The titles of all bills, then their numbers as they were typed, then other forms of these. */
function surestFirst(runs: readonly SearchRun[]): SearchRun[] {
  const rank = ({ search: { form } }: SearchRun) => (form.includes("#") ? 2 : Number(form === "as typed"));
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

type CaptionReader = ReturnType<typeof captionReader>;

/** The other forms of a bare number whose kind the texts have shown. */
function otherForms({ later, judged }: BillPlan, runs: readonly SearchRun[], captionOf: CaptionReader): QueryVariant[] {
  if (judged === undefined || later.length === 0) return [];
  const kinds = possibleKinds(judged, mergeSpeeches(runs).speeches, captionOf);
  return later
    .filter(({ kind }) => kind === undefined || kinds.includes(kind))
    .map((one) => ({ ...one, isAmbiguous: one.isAmbiguous && kinds.length > 1 }));
}

/** A title that lost letters, if words of the texts repair it in another way. */
function spokenTitles({ variants, damagedTitle }: BillPlan, runs: readonly SearchRun[], captionOf: CaptionReader) {
  if (damagedTitle === undefined) return [];
  const words = runs.flatMap(({ rows }) => rows.flatMap((row) => captionOf(row)?.words ?? []));
  const repaired = repairTitle(damagedTitle, vocabularyOf(new Set(words.map(({ text }) => text))));
  const known = new Set(variants.map(({ query }) => query.toLowerCase()));
  return titlePatterns(repaired?.title ?? "")
    .map(({ title }) => variant(title, "title in the texts"))
    .filter(({ query }) => !known.has(query.toLowerCase()));
}
