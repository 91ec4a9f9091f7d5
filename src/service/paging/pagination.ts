import { setImmediate } from "node:timers/promises";
import { APIError, ArchiveError } from "../../errors/index.js";
import type { PaginationContext } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import { type FetchedPage, Lane, lanePages, maxLanes } from "./lane.js";
import { haveSameRows, openPage, type Page, selectRows } from "./page.js";
import { PageRequests } from "./pageRequests.js";
import type { PaginationOptions } from "./paginationOptions.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import { SeenRows } from "./seenRows.js";
import { cursorCycleError, StallDetector, unknownCursorError } from "./stallDetector.js";

/** Page numbers are checked after this many pages. In shorter paginations the check costs more than it saves. */
const CHECK_AFTER = 8;
/** If fewer pages than this are needed, they are fetched by cursor. */
const MIN_PAGES = 8;
/** Fewer requests in flight do not repay the check. */
const MIN_AHEAD = 4;
/** No lane begins beyond so many times the pages so far. */
const HORIZON = 6;

/**
 * The pages of a search in cursor order, without duplicate rows. The pagination ends on a page, fetched by its cursor, without
 * rows, without a cursor, or with a cursor that was already followed. The recorder then has the verdict.
 *
 * @throws ArchiveError if the pagination fails; the recorder then has the cursor to continue from
 */
export async function* paginate(
  request: ArchiveRequest,
  options: PaginationOptions,
): AsyncGenerator<Page, void, undefined> {
  if (options.maxItems === 0) return options.recorder.end("capped", "maxItems");
  const steps = new Pagination(request, options);
  try {
    while (!steps.done) {
      const page = await steps.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await steps.requests.stop();
    reportEnd(steps.context, options.recorder);
  }
}

/** What a requester that stores responses needs to know of a pagination; undefined for a lookup, which has one response. */
function paginationContext(
  { operation }: ArchiveRequest,
  { maxItems, maxPages }: Pick<PaginationOptions, "maxItems" | "maxPages">,
): PaginationContext | undefined {
  if (!isSearch(operation)) return undefined;
  return { rows: maxPages === 1 ? 0 : (maxItems ?? Number.POSITIVE_INFINITY) };
}

/** Reports to the requester how many rows the pagination returned, unless an error stopped it. */
function reportEnd(context: PaginationContext | undefined, { verdict, reason, rows }: ProvenanceRecorder): void {
  if (verdict === "stopped" && reason !== "not finished") return;
  context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
}

class Pagination {
  done = false;
  readonly context: PaginationContext | undefined;
  readonly requests: PageRequests;
  /** Whether page numbers work. The README has the transitions. */
  #numbers: "unchecked" | "usable" | "unusable";
  /** The next pages, by cursor. */
  #lane: Lane;
  /** Lanes that begin at a page by number, in order. Each begins where the lane before it ends. */
  #lanes: Lane[] = [];
  /** Number of the page before which the next lane has to begin. */
  #end = 0;
  readonly #followed = new Set<string>();
  readonly #seen = new SeenRows();
  readonly #stalls = new StallDetector();
  /** Rows of each page so far; `undefined` if pages differ in size. */
  #pageRows: number | undefined;
  #cursor: string | undefined;
  /** The member of the last page that leads on in a form that is not known. */
  #unknownCursor: string | undefined;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: PaginationOptions,
  ) {
    this.context = paginationContext(request, options);
    this.requests = new PageRequests(request, options, this.context);
    const mayCheck = this.requests.hasNumbers && options.ahead >= MIN_AHEAD && options.budget === undefined;
    this.#numbers = mayCheck ? "unchecked" : "unusable";
    this.#cursor = this.requests.cursor;
    if (this.#cursor !== undefined) this.#followed.add(this.#cursor);
    this.#lane = new Lane(this.requests.first(), 1, this.requests, options);
  }

  /** The next page; undefined if the request budget is used up. */
  async next(): Promise<Page | undefined> {
    const { recorder } = this.options;
    try {
      if (this.#unknownCursor !== undefined)
        throw unknownCursorError(this.request.path, this.#unknownCursor, recorder.rows);
      const fetched = await this.#fetchNext();
      const sent = this.#open(fetched);
      await this.#changeLane(sent);
      try {
        return this.#accept(sent);
      } finally {
        if (!this.#lane.isEmpty) await requestsAreSent();
        recorder.addResponse(fetched.response);
      }
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") return this.#outOfRequests(error);
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
  }

  async #fetchNext(): Promise<FetchedPage> {
    try {
      const fetched = await this.#lane.take();
      if (fetched !== undefined) return fetched;
    } catch (error) {
      if (!this.#isLimitRefused(error)) throw error;
      this.requests.limit = undefined;
      this.#numbers = "unusable";
      this.#lane = new Lane(this.requests.first(), 1, this.requests, this.options);
      return this.#fetchNext();
    }
    this.#follow(1);
    return this.#fetchNext();
  }

  /** The page of a response, checked against the shape of now. */
  #open({ page, response, request }: FetchedPage): Page {
    const { shape, redact, recorder } = this.options;
    if (page?.tape.shape === shape()) return page;
    try {
      return openPage(response, request, shape(), redact);
    } catch (error) {
      recorder.addResponse(response);
      throw error;
    }
  }

  #accept(sent: Page): Page {
    const { recorder, maxItems } = this.options;
    const fresh = this.#seen.withoutDuplicates(sent, recorder);
    const rows = sent.ids.length;
    const { cursor } = sent;
    const movement = this.#stalls.observe(sent, fresh.ids.length);
    this.#unknownCursor = rows === 0 ? undefined : sent.unknownCursor;
    const isLast = rows === 0 || !isSearch(this.request.operation) || cursor === undefined || movement === "end";
    const ended = (isLast || this.#followed.has(cursor)) && this.#unknownCursor === undefined;
    if (movement === "cycle" && !ended) throw this.#cycleError();
    recorder.trail.push(this.#cursor);
    recorder.pages++;
    recorder.otherLists = sent.otherLists;
    recorder.duplicates += rows - fresh.ids.length;
    const accepted = maxItems === undefined ? fresh.ids.length : Math.min(fresh.ids.length, maxItems - recorder.rows);
    recorder.rows += accepted;
    const cut = accepted < fresh.ids.length;
    // After a cut page the pagination continues from that page, for the rest of its rows.
    if (!cut) recorder.cursor = ended ? undefined : cursor;
    this.done = this.#judge(ended, cut);
    if (cursor !== undefined) this.#followed.add(cursor);
    this.#cursor = cursor;
    this.#pageRows = recorder.pages === 1 || this.#pageRows === rows ? rows : undefined;
    if (!this.done && cursor !== undefined) this.#prefetch(fresh);
    return cut ? selectRows(fresh, [...Array(accepted).keys()]) : fresh;
  }

  /** Records the verdict so far. Returns whether the pagination has ended. */
  #judge(ended: boolean, cut: boolean): boolean {
    const { recorder, maxItems, maxPages } = this.options;
    if (cut || (!ended && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
    else if (ended) recorder.end("complete");
    else if (recorder.pages === maxPages) recorder.end("capped", "one page");
    else {
      recorder.end("stopped", "not finished");
      return false;
    }
    return true;
  }

  /** Ends the pagination with the pages so far. Without any, throws the failure that would have been retried. */
  #outOfRequests(error: ArchiveError): undefined {
    const { recorder } = this.options;
    this.done = true;
    recorder.end("capped", "maxRequests");
    if (recorder.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  }

  #cycleError(): APIError {
    const { recorder } = this.options;
    const { stalePages } = this.#stalls;
    // Stale pages added no rows, and may be different ones next time.
    recorder.pages -= stalePages - 1;
    recorder.cursor = undefined;
    return cursorCycleError(this.request.path, stalePages, recorder.rows);
  }

  /** Requests pages ahead, as many as are allowed and needed while the consumer processes `page`. */
  #prefetch(page: Page): void {
    const { ahead, prefetchLimit } = this.options;
    const limit = prefetchLimit?.(page) ?? Number.POSITIVE_INFINITY;
    if (Math.min(ahead, limit) === 0) return;
    if (this.#numbers === "unchecked" && this.#mayCheck(limit)) {
      this.#follow(1);
      this.#lanes = [this.#numbered(this.options.recorder.pages + 1, 1)];
    } else if (this.#numbers === "usable") this.#startLanes(limit);
    if (this.#lane.isEmpty) this.#follow(1);
  }

  /** Whether the pages so far have one size, and enough pages remain to make numbers worthwhile. */
  #mayCheck(limit: number): boolean {
    const rows = this.#pageRows;
    const { requests } = this;
    if (this.options.recorder.pages < CHECK_AFTER || rows === undefined || requests.limit === undefined) return false;
    if (requests.fixed && rows !== requests.limit) return false;
    // Pages that are always smaller than requested show the service's own maximum.
    requests.limit = rows;
    return this.#pagesNeeded(limit) >= MIN_PAGES;
  }

  /**
   * Starts lanes behind the last one. Each fetches the page at which the next one begins as well, by cursor: if the two pages are the
   * same, no row is missing between the lanes.
   */
  #startLanes(limit: number): void {
    const { pages } = this.options.recorder;
    const needed = pages + this.#pagesNeeded(limit);
    if (this.#lane.isEmpty) {
      if (needed < pages + MIN_PAGES) return;
      this.#end = pages + lanePages(pages);
      this.#follow(Math.min(lanePages(pages) + 1, needed - pages));
    }
    const most = maxLanes(pages, this.requests.limit as number, this.options.ahead);
    while (this.#lanes.length + 1 < most && this.#end < Math.min(needed, HORIZON * pages)) {
      const number = this.#end + 1;
      const size = lanePages(this.#end);
      this.#lanes.push(this.#numbered(number, Math.min(size + 1, needed - this.#end)));
      this.#end += size;
    }
  }

  /** At the page where the next lane begins: continues with that lane if its first page is the same, otherwise by cursor alone. */
  async #changeLane(byCursor: Page): Promise<void> {
    const [next] = this.#lanes;
    if (next === undefined || !this.#lane.isEmpty) return;
    const isFull = byCursor.ids.length === this.requests.limit && byCursor.cursor !== undefined;
    const start = isFull ? await next.start() : undefined;
    if (start === undefined || start.cursor !== byCursor.cursor || !haveSameRows(start, byCursor)) {
      this.#stopLanes(0);
      return;
    }
    if (this.#numbers === "unchecked") this.#numbers = "usable";
    void next.take();
    this.#lane = next;
    this.#lanes.shift();
    // What is requested next depends on the responses, not on how fast they come, unless one takes longer than a whole lane.
    const starts: Array<Page | undefined> = [];
    const known = Promise.all(this.#lanes.map(async (lane, at) => (starts[at] = await lane.start())));
    known.catch(() => undefined);
    await Promise.race([known, next.settled()]);
    this.requests.throwIfAborted();
    const bad = this.#lanes.findIndex(
      (_, at) => starts[at]?.cursor === undefined || starts[at].ids.length !== this.requests.limit,
    );
    if (bad >= 0) this.#stopLanes(bad);
  }

  /** Stops the lanes from one on. No others are started. */
  #stopLanes(from: number): void {
    this.#numbers = "unusable";
    for (const lane of this.#lanes.splice(from)) lane.stop();
  }

  /** Full pages that are certainly needed. */
  #pagesNeeded(limit: number): number {
    return Math.min(limit, Math.floor(this.#missing() / (this.requests.limit as number)));
  }

  /** Rows that `maxItems` still allows. */
  #missing(): number {
    const { recorder, maxItems } = this.options;
    return maxItems === undefined ? Number.POSITIVE_INFINITY : maxItems - recorder.rows;
  }

  /** Requests the pages after the last one by cursor. */
  #follow(pages: number): void {
    // If rows repeat, a small page may contain nothing but duplicates.
    const rows = this.options.recorder.duplicates > 0 ? Number.POSITIVE_INFINITY : this.#missing();
    this.#lane = new Lane(this.requests.at(this.#cursor as string, rows), pages, this.requests, this.options);
  }

  #numbered(number: number, pages: number): Lane {
    return new Lane(this.requests.numbered(number), pages, this.requests, this.options);
  }

  /** Whether the service refused the first page, possibly because of a limit that we chose. */
  #isLimitRefused(error: unknown): boolean {
    const refused = error instanceof APIError && (error.statusCode === 400 || error.statusCode === 422);
    const { fixed, limit = 0 } = this.requests;
    return refused && !fixed && limit > 20 && this.options.recorder.pages === 0;
  }
}

/**
 * undici writes a request two turns of the event loop after the previous response. The service then works on it while this
 * process hashes the response and the consumer uses the page.
 */
async function requestsAreSent(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
