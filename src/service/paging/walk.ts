import { setImmediate } from "node:timers/promises";
import { APIError, ArchiveError } from "../../errors/index.js";
import type { ServiceResponse, WalkContext } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import { InFlightRequests, type PageRequest } from "./inFlightRequests.js";
import { haveSameRows, openPage, type Page, selectRows } from "./page.js";
import { PageRequests } from "./pageRequests.js";
import { SeenRows } from "./seenRows.js";
import { cursorCycleError, StallDetector, unknownCursorError } from "./stallDetector.js";
import { reportEnd, walkContext } from "./walkContext.js";
import type { WalkOptions } from "./walkOptions.js";

/** Page numbers are checked after this many pages. In shorter walks the check costs more than it saves. */
const CHECK_AFTER = 8;
/** If fewer pages than this are needed, they are fetched by cursor. */
const MIN_NUMBERED_PAGES = 8;
/** Requests reserved for checking page numbers and for confirming the end. Concurrency is lower by this many. */
const RESERVED_REQUESTS = 2;

/**
 * The pages of a search in cursor order, without duplicate rows. The walk ends on a page, fetched by its cursor, without
 * rows, without a cursor, or with a cursor that was already followed. The recorder then has the verdict.
 *
 * @throws ArchiveError if the walk fails; the recorder then has the cursor to continue from
 */
export async function* walk(request: ArchiveRequest, options: WalkOptions): AsyncGenerator<Page, void, undefined> {
  if (options.maxItems === 0) return options.recorder.end("capped", "maxItems");
  const steps = new Walk(request, options);
  try {
    while (!steps.done) {
      const page = await steps.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await steps.stop();
    reportEnd(steps.context, options.recorder);
  }
}

/** How the next pages are requested. The README has the transitions. */
type State = "cursor" | "checking" | "numbered" | "cursor alone";

/** A response, its page as sent, and its new rows. */
interface OpenedPage {
  readonly response: ServiceResponse;
  readonly sent: Page;
  readonly fresh: Page;
}

class Walk {
  done = false;
  readonly context: WalkContext | undefined;
  #state: State;
  /** The next pages, in order. */
  readonly #queue: PageRequest[] = [];
  /** The request for the next page by number, sent in addition to the one by cursor. */
  #check: PageRequest | undefined;
  readonly #inFlight: InFlightRequests;
  readonly #followed = new Set<string>();
  readonly #seen = new SeenRows();
  readonly #stalls = new StallDetector();
  readonly #requests: PageRequests;
  /** Rows of each page so far; `undefined` if pages differ in size. */
  #pageRows: number | undefined;
  /** Number of the next page to request by number. */
  #number = 0;
  #cursor: string | undefined;
  /** The member of the last page that leads on in a form that is not known. */
  #unknownCursor: string | undefined;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: WalkOptions,
  ) {
    this.context = walkContext(request, options);
    this.#inFlight = new InFlightRequests(options, this.context);
    this.#requests = new PageRequests(request, options);
    this.#state = this.#requests.hasNumbers && options.ahead >= 2 * RESERVED_REQUESTS ? "cursor" : "cursor alone";
    this.#cursor = this.#requests.cursor;
    if (this.#cursor !== undefined) this.#followed.add(this.#cursor);
    this.#queue.push(this.#inFlight.send(this.#requests.first()));
  }

  stop(): Promise<void> {
    return this.#inFlight.stop();
  }

  /** The next page; undefined if the request budget is used up. */
  async next(): Promise<Page | undefined> {
    const { recorder } = this.options;
    try {
      if (this.#unknownCursor !== undefined)
        throw unknownCursorError(this.request.path, this.#unknownCursor, recorder.rows);
      const opened = await this.#openNext();
      if (this.#state === "checking") await this.#compare(opened.sent);
      try {
        return this.#accept(opened);
      } finally {
        if (this.#queue.length > 0) await requestsAreSent();
        recorder.addResponse(opened.response);
      }
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") return this.#outOfRequests(error);
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
  }

  /** Opens the next page. If a numbered page cannot be it, the walk continues with the cursor of the last page. */
  async #openNext(): Promise<OpenedPage> {
    for (;;) {
      const next = this.#queue.shift() ?? this.#sendFollowing();
      const opened = next.isNumbered ? await this.#openNumbered(next) : await this.#openByCursor(next);
      if (opened !== undefined) return opened;
      this.#dropNumbered();
    }
  }

  #accept({ sent, fresh }: OpenedPage): Page {
    const { recorder, maxItems } = this.options;
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
    // After a cut page the walk continues from that page, for the rest of its rows.
    if (!cut) recorder.cursor = ended ? undefined : cursor;
    this.done = this.#judge(ended, cut);
    if (cursor !== undefined) this.#followed.add(cursor);
    this.#cursor = cursor;
    this.#pageRows = recorder.pages === 1 || this.#pageRows === rows ? rows : undefined;
    // After a short page, the next page number would skip rows.
    if (this.#state === "numbered" && rows !== this.#requests.limit) this.#dropNumbered();
    if (!this.done && cursor !== undefined) this.#prefetch(fresh);
    return cut ? selectRows(fresh, [...Array(accepted).keys()]) : fresh;
  }

  /** Records the verdict so far. Returns whether the walk has ended. */
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

  /** Ends the walk with the pages so far. Without any, throws the failure that would have been retried. */
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
    const { ahead, prefetchLimit, recorder } = this.options;
    const { pages } = recorder;
    const allowed = prefetchLimit === undefined ? ahead : Math.min(ahead, prefetchLimit(page));
    if (allowed === 0) return;
    // The window grows with the walk: a short result should not cost many needless requests.
    const window = Math.min(allowed, Math.ceil(pages / 2)) - RESERVED_REQUESTS;
    if (this.#state === "numbered") {
      const limit = this.#requests.limit as number;
      while (this.#queue.length < window && (this.#queue.length + 1) * limit <= this.#missing()) {
        this.#queue.push(this.#sendNumbered());
      }
    }
    if (this.#state === "cursor" && window >= RESERVED_REQUESTS && this.#mayCheck(pages)) this.#state = "checking";
    if (this.#queue.length === 0) this.#queue.push(this.#sendFollowing());
    if (this.#state === "checking") this.#check = this.#sendNumbered();
  }

  /** Whether the pages so far have one size, and enough pages remain to make numbers worthwhile. */
  #mayCheck(pages: number): boolean {
    const rows = this.#pageRows;
    const { limit, fixed } = this.#requests;
    if (pages < CHECK_AFTER || rows === undefined || limit === undefined) return false;
    if ((fixed && rows !== limit) || this.#missing() < MIN_NUMBERED_PAGES * rows) return false;
    // Pages that are always smaller than requested show the service's own maximum.
    this.#requests.limit = rows;
    this.#number = pages + 1;
    return true;
  }

  /** Trusts page numbers if the page by number equals the page by cursor and leads to the same cursor. */
  async #compare(byCursor: Page): Promise<void> {
    const check = this.#check as PageRequest;
    const isFull = byCursor.ids.length === this.#requests.limit && byCursor.cursor !== undefined;
    if (isFull && (await this.#isSame(check, byCursor))) this.#state = "numbered";
    else this.#dropNumbered();
  }

  async #isSame({ response, request }: PageRequest, byCursor: Page): Promise<boolean> {
    const { redact, shape } = this.options;
    try {
      const byNumber = openPage(await response, request, shape(), redact);
      return byNumber.cursor === byCursor.cursor && haveSameRows(byNumber, byCursor);
    } catch {
      this.#inFlight.throwIfAborted();
      return false;
    }
  }

  /** Cancels what was requested by number; from here on the walk follows the cursor alone. */
  #dropNumbered(): void {
    this.#state = "cursor alone";
    this.#queue.length = 0;
    this.#inFlight.cancelNumbered();
  }

  /** Rows that `maxItems` still allows. */
  #missing(): number {
    const { recorder, maxItems } = this.options;
    return maxItems === undefined ? Number.POSITIVE_INFINITY : maxItems - recorder.rows;
  }

  /** Requests the page after the last one by its cursor. That page takes up a page number, too. */
  #sendFollowing(): PageRequest {
    if (this.#state === "numbered") this.#number++;
    // If rows repeat, a small page may contain nothing but duplicates.
    const rows = this.options.recorder.duplicates > 0 ? Number.POSITIVE_INFINITY : this.#missing();
    return this.#inFlight.send(this.#requests.at(this.#cursor as string, rows));
  }

  #sendNumbered(): PageRequest {
    return this.#inFlight.send(this.#requests.numbered(this.#number++), true);
  }

  async #openByCursor(sent: PageRequest): Promise<OpenedPage> {
    const { recorder, redact } = this.options;
    let response: ServiceResponse;
    try {
      response = await sent.response;
    } catch (error) {
      if (!this.#isLimitRefused(error)) throw error;
      this.#requests.limit = undefined;
      this.#state = "cursor alone";
      return this.#openByCursor(this.#inFlight.send(this.#requests.first()));
    }
    try {
      const page = openPage(response, sent.request, this.options.shape(), redact);
      return { response, sent: page, fresh: this.#seen.withoutDuplicates(page, recorder) };
    } catch (error) {
      recorder.addResponse(response);
      throw error;
    }
  }

  /** Opens a page that was requested by number; undefined if it cannot be the next page. */
  async #openNumbered(sent: PageRequest): Promise<OpenedPage | undefined> {
    const { recorder, redact, shape } = this.options;
    let response: ServiceResponse;
    let page: Page;
    try {
      response = await sent.response;
      page = openPage(response, sent.request, shape(), redact);
    } catch {
      this.#inFlight.throwIfAborted();
      return undefined;
    }
    if (page.ids.length === 0 || page.cursor === undefined || this.#followed.has(page.cursor)) return undefined;
    const fresh = this.#seen.withoutDuplicates(page, recorder);
    return fresh.ids.length === 0 ? undefined : { response, sent: page, fresh };
  }

  /** Whether the service refused the first page, possibly because of a limit that we chose. */
  #isLimitRefused(error: unknown): boolean {
    const refused = error instanceof APIError && (error.statusCode === 400 || error.statusCode === 422);
    const { fixed, limit = 0 } = this.#requests;
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
