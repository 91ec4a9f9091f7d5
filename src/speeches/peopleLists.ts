import type { ClientContext } from "../call/clientContext.js";
import { declaredShape } from "../service/json/rowShape.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import type { Page } from "../service/paging/page.js";
import { walk } from "../service/paging/walk.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import type { Finding } from "./findSpeeches.js";
import { type People, personOf } from "./people.js";
import { readRows } from "./readRows.js";

/** Titles by which the archive lists people: those of nearly everybody who speaks on a bill. */
const LISTS = ['"U.S. Senator"', '"U.S. Representative"'];
/** Fewer speakers than this are looked up at once. */
const FEWEST = 40;
/** A list is left when its last requests have brought so many fewer speakers than they cost, or it takes too long. */
const PATIENCE = 3;
const SERVICE_PAGE = 20;
const SHAPE = declaredShape(operations.people.columns);

/**
 * Reads lists of people for speakers whose title is not known: a page of a list tells the titles of several for one
 * request, a look-up that of one. It only ever saves requests: nobody is taken for missing because a list did not have
 * them, and what the lists can lose at worst is less than larger pages of mentions have saved already.
 *
 * The lists are read in rounds, one page of each at once, and a round is evaluated when all its pages are there: what is requested
 * next depends on the answers, never on their order.
 *
 * @param wanted ids of the speakers
 */
export async function readPeopleLists(
  client: ClientContext,
  people: People,
  wanted: ReadonlySet<string>,
  findings: readonly Finding[],
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  if (wanted.size < FEWEST || savedRequests(findings) < LISTS.length * PATIENCE) return;
  const missing = new Set(wanted);
  const lists = LISTS.map((query) => new PeopleList(client, query, wanted.size, combined, signal));
  try {
    for (let open = lists; open.length > 0 && missing.size > 0; ) {
      await Promise.all(open.map((list) => list.read()));
      open = open.filter((list) => list.evaluate(people, missing));
    }
  } finally {
    await Promise.all(lists.map((list) => list.close()));
  }
}

/** Requests that pages of the service's own size would have taken beyond those for the pages that came. */
function savedRequests(findings: readonly Finding[]): number {
  return findings.reduce((sum, { recorder: { rows, duplicates, pages } }) => {
    return sum + Math.max(0, Math.ceil((rows + duplicates) / SERVICE_PAGE) - pages);
  }, 0);
}

/** A list of people, and whether it pays to read on. */
class PeopleList {
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  /** The people on the page that was read last; undefined after the last page. */
  #rows: readonly Row[] | undefined;
  #read = 0;
  #found = 0;
  #best = 0;
  #first = 0;
  readonly #longest: number;

  constructor(
    readonly client: ClientContext,
    query: string,
    wanted: number,
    readonly combined: CombinedRecorder,
    readonly signal: AbortSignal,
  ) {
    const { requester, redact, output, concurrency } = client;
    const request = buildRequest("people", { query });
    const bounds = { maxItems: undefined, maxPages: undefined, pageSize: output.pageSize, ahead: 0 };
    const recorder = combined.open(request);
    this.#longest = wanted / (4 * concurrency);
    this.#pages = walk(request, { requester, recorder, redact, shape: () => SHAPE, signals: [signal], ...bounds });
  }

  /**
   * Reads the next page.
   *
   * @throws ArchiveError where the caller has aborted. Any other error ends the list: who is not listed is looked up
   */
  async read(): Promise<void> {
    this.#rows = undefined;
    try {
      const { value: page } = await this.#pages.next();
      if (page === undefined) return;
      this.combined.page();
      this.#rows = readRows(page, "/people", this.client.redact, false);
    } catch (error) {
      if (this.signal.aborted) throw error;
    }
  }

  /** Takes from the last page who is wanted, and says whether to read on. */
  evaluate(people: People, missing: Set<string>): boolean {
    if (this.#rows === undefined) return false;
    this.#read++;
    for (const row of this.#rows) {
      const person = personOf(row);
      const id = String(row.id);
      // Without a title it is no better than not listed.
      if (person.title === "") continue;
      people.learn(id, person);
      if (missing.delete(id)) this.#found++;
    }
    const gain = this.#found - this.#read;
    this.#best = Math.max(this.#best, gain);
    this.#first ||= this.#rows.length;
    // A page that is not full is the last one: the service says so only by a further, empty one.
    if (this.#rows.length < this.#first) return false;
    // Pages come one after another, look-ups several at once: what a list spares in requests it may cost in time.
    return gain > this.#best - PATIENCE && this.#read - this.#found / this.client.concurrency <= this.#longest;
  }

  async close(): Promise<void> {
    await this.#pages.return();
  }
}
