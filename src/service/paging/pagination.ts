import { setImmediate } from "node:timers/promises";
import { APIError, ArchiveError } from "../../errors/index.js";
import { quoted } from "../../util/quoted.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import { haveSameRows, openPage, type Page, selectRows } from "./page.js";
import { type FetchedPage, type Lane, PageRequests, type PaginationOptions } from "./pageRequests.js";
import { SeenRows } from "./seenRows.js";

/** Page numbers are checked after this many pages. In shorter paginations the check costs more than it saves. */
const CHECK_AFTER = 8;
/** If fewer pages than this are needed, they are fetched by cursor. */
const MIN_PAGES = 8;
/** Fewer requests in flight do not repay the check. */
const MIN_AHEAD = 4;
/** No lane begins beyond so many times the pages so far. */
const HORIZON = 6;
/** Pages of a lane while there are few, and at most. */
const MIN_LANE = 6;
const MAX_LANE = 24;
/** Rows that all lanes may hold until they are needed. */
const MAX_ROWS = 60_000;
/** After this many consecutive pages that end with the last known row and have no new one, the pagination cannot advance. */
const MAX_STALE_PAGES = 3;

/**
 * The pages of a search in cursor order, without duplicate rows. The pagination ends on a page, fetched by its cursor, without rows,
 * without a cursor, or with a cursor that was already followed. The recorder then has the verdict.
 */
export async function* paginate(
  request: ArchiveRequest,
  options: PaginationOptions,
): AsyncGenerator<Page, void, undefined> {
  const { recorder } = options;
  if (options.maxItems === 0) return recorder.end("capped", "maxItems");
  const steps = new Pagination(request, options);
  const { requests } = steps;
  try {
    while (!steps.done) {
      const page = await steps.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await requests.stop();
    const { verdict, reason, rows } = recorder;
    const hasFailed = verdict === "stopped" && reason !== "not finished";
    if (!hasFailed) requests.context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
  }
}

class Pagination {
  done = false;
  readonly requests: PageRequests;
  readonly #ahead: number;
  /** Whether page numbers work. The README has the transitions. */
  #numbers: "unchecked" | "usable" | "unusable";
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
    this.requests = new PageRequests(request, options);
    this.#ahead = options.ahead ?? 0;
    const mayCheck = this.requests.hasNumbers && this.#ahead >= MIN_AHEAD && options.budget === undefined;
    this.#numbers = mayCheck ? "unchecked" : "unusable";
    this.#cursor = this.requests.cursor;
    if (this.#cursor !== undefined) this.#followed.add(this.#cursor);
    this.#lane = this.requests.first();
  }

  /** The next page; undefined if the request budget is used up. */
  async next(): Promise<Page | undefined> {
    const { recorder } = this.options;
    try {
      if (this.#unknownCursor !== undefined)
        throw this.#stuck(
          "UNKNOWN_CURSOR",
          `the response has a cursor in an unknown form: its member ${quoted(this.#unknownCursor)}`,
        );
      const fetched = await this.#fetchNext();
      const sent = this.#open(fetched);
      if (this.#lane.pages.length === 0 && this.#lanes[0] !== undefined) await this.#changeLane(sent, this.#lanes[0]);
      try {
        return this.#accept(sent);
      } finally {
        if (this.#lane.pages.length > 0) {
          // undici writes a request two turns of the event loop after the previous response. The service then works on it while this
          // process hashes the response and the consumer uses the page.
          await setImmediate();
          await setImmediate();
        }
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
      const fetched = await this.#lane.pages.shift();
      if (fetched !== undefined) return fetched;
      this.#follow(1);
    } catch (error) {
      if (!this.#isLimitRefused(error)) throw error;
      this.requests.limit = undefined;
      this.#numbers = "unusable";
      this.#lane = this.requests.first();
    }
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
    const rows = sent.tape.rows;
    const { cursor } = sent;
    const movement = this.#stalls.observe(sent, fresh.tape.rows);
    this.#unknownCursor = rows === 0 ? undefined : sent.unknownCursor;
    const isLast = rows === 0 || !isSearch(this.request.operation) || cursor === undefined || movement === "end";
    const ended = (isLast || this.#followed.has(cursor)) && this.#unknownCursor === undefined;
    if (movement === "cycle" && !ended) throw this.#cycleError();
    recorder.trail.push(this.#cursor);
    recorder.pages++;
    recorder.duplicates += rows - fresh.tape.rows;
    const accepted = Math.min(fresh.tape.rows, this.#missing());
    recorder.rows += accepted;
    const cut = accepted < fresh.tape.rows;
    // After a cut page the pagination continues from that page, for the rest of its rows.
    if (!cut) recorder.cursor = ended ? undefined : cursor;
    if (cut || (!ended && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
    else if (ended) recorder.end("complete");
    else if (recorder.pages === this.options.maxPages) recorder.end("capped", "one page");
    else recorder.end("stopped", "not finished");
    this.done = recorder.verdict !== "stopped";
    if (cursor !== undefined) this.#followed.add(cursor);
    this.#cursor = cursor;
    this.#pageRows = recorder.pages === 1 || this.#pageRows === rows ? rows : undefined;
    if (!this.done && cursor !== undefined) this.#prefetch(fresh);
    return cut ? selectRows(fresh, [...Array(accepted).keys()]) : fresh;
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
    return this.#stuck(
      "CURSOR_CIRCLES",
      `the cursor repeats earlier pages: ${stalePages} pages in a row had no new rows`,
    );
  }

  /** The error for a cursor that cannot be followed. */
  #stuck(code: "CURSOR_CIRCLES" | "UNKNOWN_CURSOR", problem: string): APIError {
    const { path } = this.request;
    const accept = `maxItems: ${this.options.recorder.rows}`;
    const hint = `Further rows cannot be reached. Pass ${accept} to accept the rows so far as the result.`;
    return new APIError(`GET ${path}: ${problem}.`, { code, hint, method: "GET", path });
  }

  /** Requests pages ahead, as many as are allowed and needed while the consumer processes `page`. */
  #prefetch(page: Page): void {
    const limit = this.options.prefetchLimit?.(page) ?? Number.POSITIVE_INFINITY;
    if (Math.min(this.#ahead, limit) === 0) return;
    if (this.#numbers === "unchecked" && this.#mayCheck(limit)) {
      this.#follow(1);
      this.#lanes = [this.requests.numbered(this.options.recorder.pages + 1, 1)];
    } else if (this.#numbers === "usable") this.#startLanes(limit);
    if (this.#lane.pages.length === 0) this.#follow(1);
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
    if (this.#lane.pages.length === 0) {
      if (needed < pages + MIN_PAGES) return;
      this.#end = pages + lanePages(pages);
      this.#follow(Math.min(lanePages(pages) + 1, needed - pages));
    }
    const affordable = 1 + Math.floor(MAX_ROWS / ((this.requests.limit as number) * lanePages(pages)));
    // A short result should not cost many needless requests.
    const most = Math.min(this.#ahead, Math.ceil(pages / 2) + 1, affordable);
    while (this.#lanes.length + 1 < most && this.#end < Math.min(needed, HORIZON * pages)) {
      const size = lanePages(this.#end);
      this.#lanes.push(this.requests.numbered(this.#end + 1, Math.min(size + 1, needed - this.#end)));
      this.#end += size;
    }
  }

  /** Once a lane has ended, at the page where the next one begins: continues with it if its first page is the same, otherwise by cursor alone. */
  async #changeLane(byCursor: Page, next: Lane): Promise<void> {
    const isFull = byCursor.tape.rows === this.requests.limit && byCursor.cursor !== undefined;
    const start = isFull ? await this.#start(next) : undefined;
    if (start === undefined || start.cursor !== byCursor.cursor || !haveSameRows(start, byCursor)) {
      this.#stopLanes(0);
      return;
    }
    if (this.#numbers === "unchecked") this.#numbers = "usable";
    next.pages.shift();
    this.#lane = next;
    this.#lanes.shift();
    // What is requested next depends on the responses, not on how fast they come, unless one takes longer than a whole lane.
    const starts: Array<Page | undefined> = [];
    const known = Promise.all(this.#lanes.map(async (lane, at) => (starts[at] = await this.#start(lane))));
    known.catch(() => undefined);
    await Promise.race([known, next.pages.at(-1)?.catch(() => undefined)]);
    this.requests.throwIfAborted();
    const bad = this.#lanes.findIndex(
      (_, at) => starts[at]?.cursor === undefined || starts[at].tape.rows !== this.requests.limit,
    );
    if (bad >= 0) this.#stopLanes(bad);
  }

  /** The page at the beginning of a lane; undefined if there is none, or the service refused it. */
  async #start(lane: Lane): Promise<Page | undefined> {
    return (await lane.pages[0]?.catch(() => this.requests.throwIfAborted()))?.page;
  }

  #stopLanes(from: number): void {
    this.#numbers = "unusable";
    for (const lane of this.#lanes.splice(from)) lane.isStopped = true;
  }

  #pagesNeeded(limit: number): number {
    return Math.min(limit, Math.floor(this.#missing() / (this.requests.limit as number)));
  }

  #missing(): number {
    return (this.options.maxItems ?? Number.POSITIVE_INFINITY) - this.options.recorder.rows;
  }

  #follow(pages: number): void {
    // If rows repeat, a small page may contain nothing but duplicates.
    const rows = this.options.recorder.duplicates > 0 ? Number.POSITIVE_INFINITY : this.#missing();
    this.#lane = this.requests.at(this.#cursor as string, rows, pages);
  }

  /** Whether the service refused the first page, possibly because of a limit that we chose. */
  #isLimitRefused(error: unknown): boolean {
    const refused = error instanceof APIError && (error.statusCode === 400 || error.statusCode === 422);
    const { fixed, limit = 0 } = this.requests;
    return refused && !fixed && limit > 20 && this.options.recorder.pages === 0;
  }
}

/** Pages of the lane that begins after so many pages: the more there were, the more may follow. */
function lanePages(before: number): number {
  return Math.min(MAX_LANE, Math.max(MIN_LANE, Math.ceil(before / 6)));
}

/** Watches for pages without new rows: either rows were added in front, or the cursor leads back to earlier pages. */
class StallDetector {
  /** Consecutive pages without a new row. */
  stalePages = 0;
  /** The most recent of them that end with the last known row. */
  #atLast = 0;
  #freshPages = 0;
  #lastRow = 0;
  #longest = 0;

  /** Checks a page as sent: whether the search goes on, its last rows repeat, or its cursor leads to no further rows. */
  observe({ tape }: Page, fresh: number): "moving" | "end" | "cycle" {
    const { rows } = tape;
    const last = rows === 0 ? -1 : tape.hashHigh(rows - 1);
    if (fresh > 0 || rows === 0) {
      this.stalePages = this.#atLast = 0;
      this.#freshPages++;
      this.#lastRow = last;
      this.#longest = Math.max(this.#longest, rows);
      return "moving";
    }
    this.stalePages++;
    this.#atLast = last === this.#lastRow ? this.#atLast + 1 : 0;
    // Each row added in front pushes a known row past the end. Those rows repeat, and fill less than a page.
    if (this.#atLast >= MAX_STALE_PAGES) return rows < this.#longest ? "end" : "cycle";
    // Shifted rows lead back to the first known row at most, so new rows must follow within as many pages.
    return this.stalePages > this.#freshPages + MAX_STALE_PAGES ? "cycle" : "moving";
  }
}
