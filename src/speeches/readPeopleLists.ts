import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { declaredShape } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { SearchRun } from "./runSearches.js";
import { personOf } from "./speakers.js";

/** Searches for people. These titles cover nearly everybody who speaks on a bill. */
const LIST_QUERIES = ['"U.S. Senator"', '"U.S. Representative"'];
/** Fewer speakers than this are looked up one by one right away. */
const MIN_SPEAKERS = 40;
/** Stop reading a list after it has cost this many more requests than it saved, counted from its best point. */
const MAX_LOSS = 3;
/** Page size of the service if a request does not set `limit`. */
const DEFAULT_PAGE_SIZE = 20;
const SHAPE = declaredShape(operations.people.columns);

/**
 * Reads lists of people to learn the titles of speakers: a page of a list gives several titles for one request, a lookup
 * only one. Lists are an optimisation: a speaker who is not listed is still looked up, and the lists cost fewer requests
 * than the larger pages of mentions have saved before.
 *
 * The lists are read in rounds of one page each, and a round is evaluated when all its pages have arrived. So the requests
 * depend on the responses, but never on their order.
 *
 * @param unknown ids of the speakers without a title
 */
export async function readPeopleLists(
  client: ClientContext,
  people: RowLookup,
  unknown: ReadonlySet<string>,
  searches: readonly SearchRun[],
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  if (unknown.size < MIN_SPEAKERS || savedRequests(searches) < LIST_QUERIES.length * MAX_LOSS) return;
  const missing = new Set(unknown);
  const lists = LIST_QUERIES.map((query) => new PeopleList(client, query, unknown.size, combined, signal));
  try {
    for (let active = lists; active.length > 0 && missing.size > 0; ) {
      await Promise.all(active.map((list) => list.readPage()));
      active = active.filter((list) => list.evaluate(people, missing));
    }
  } finally {
    await Promise.all(lists.map((list) => list.close()));
  }
}

/** The number of requests that our page size has saved over that of the service. */
function savedRequests(searches: readonly SearchRun[]): number {
  return searches.reduce((sum, { recorder: { rows, duplicates, pages } }) => {
    return sum + Math.max(0, Math.ceil((rows + duplicates) / DEFAULT_PAGE_SIZE) - pages);
  }, 0);
}

/** A list of people that is read as long as it saves requests. */
class PeopleList {
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  /** The rows of the last page; undefined after the end of the list. */
  #rows: readonly Row[] | undefined;
  #pagesRead = 0;
  #peopleFound = 0;
  #bestGain = 0;
  #fullPage = 0;
  /** Upper bound for the requests that the list may cost in time. */
  readonly #maxDelay: number;

  constructor(
    readonly client: ClientContext,
    query: string,
    unknown: number,
    readonly combined: CombinedRecorder,
    readonly signal: AbortSignal,
  ) {
    const { requester, redact, output, concurrency } = client;
    const request = buildRequest("people", { query });
    const recorder = combined.add(request);
    this.#maxDelay = unknown / (4 * concurrency);
    this.#pages = paginate(request, {
      requester,
      recorder,
      redact,
      shape: () => SHAPE,
      signals: [signal],
      pageSize: output.pageSize,
    });
  }

  /**
   * Reads the next page.
   *
   * @throws ArchiveError if the caller has aborted. Any other error ends the list, and the missing people are looked up
   */
  async readPage(): Promise<void> {
    this.#rows = undefined;
    try {
      const { value: page } = await this.#pages.next();
      if (page === undefined) return;
      this.combined.onPage();
      this.#rows = pageRows(page);
    } catch (error) {
      if (this.signal.aborted) throw error;
    }
  }

  /** Learns the people of the last page, and says whether to read on. */
  evaluate(people: RowLookup, missing: Set<string>): boolean {
    if (this.#rows === undefined) return false;
    this.#pagesRead++;
    for (const row of this.#rows) {
      const person = personOf(row);
      const id = String(row.id);
      // A row without a title does not save the lookup.
      if (person.title === "") continue;
      people.learn(id, row);
      if (missing.delete(id)) this.#peopleFound++;
    }
    const gain = this.#peopleFound - this.#pagesRead;
    this.#bestGain = Math.max(this.#bestGain, gain);
    this.#fullPage ||= this.#rows.length;
    // A page that is not full is the last one. The service would confirm it only with another, empty page.
    if (this.#rows.length < this.#fullPage) return false;
    // Pages arrive one after another, lookups in parallel: saving requests must not cost too much time.
    const delay = this.#pagesRead - this.#peopleFound / this.client.concurrency;
    return gain > this.#bestGain - MAX_LOSS && delay <= this.#maxDelay;
  }

  async close(): Promise<void> {
    await this.#pages.return();
  }
}
