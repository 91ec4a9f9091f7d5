import { APIError, ArchiveError } from "../../errors/index.js";
import type { RowShape } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import { quoted } from "../../util/quoted.js";
import type {
  PaginationContext,
  RequestBudget,
  RequestContext,
  Requester,
  ServiceResponse,
} from "../http/requester.js";
import { isSearch, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type Redact, selectRows } from "./page.js";
import { isLocal, type PageSize, type SizeRefusal } from "./pageSize.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import { SeenRows } from "./seenRows.js";

/** After this many consecutive pages that end with the last known row and have no new one, the pagination cannot advance. */
const MAX_STALE_PAGES = 3;

export interface PaginationOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Returns the shape to check the rows of the next page against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows. Default: all. */
  readonly maxItems?: number | undefined;
  /** Stop after this many pages. Default: all. */
  readonly maxPages?: number | undefined;
  /** The requests that may be sent. Once it is used up, the result is the pages so far. */
  readonly budget?: RequestBudget | undefined;
  /** Rows per page, if the operation takes a limit and the request does not set one. */
  readonly pageSize: PageSize;
  /**
   * Whether the next page is requested while this one is processed. Default: never. Called before it is requested; an error that it
   * throws ends the pagination.
   */
  readonly ahead?: ((page: Page) => boolean) | undefined;
  /** Each of them stops the pagination when it aborts. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}

interface FetchedPage {
  readonly request: ArchiveRequest;
  readonly response: ServiceResponse;
  /** Undefined if it is unreadable. */
  readonly page: Page | undefined;
  /** The rows that were asked for; undefined if that was left to the service. */
  readonly asked: number | undefined;
}

/**
 * The pages of a search in cursor order, without duplicate rows. The pagination ends on a page, fetched by its cursor, without rows,
 * without a cursor, or with a cursor that was already followed. The recorder then has the verdict.
 */
export async function* paginate(
  request: ArchiveRequest,
  options: PaginationOptions,
): AsyncGenerator<Page, void, undefined> {
  if (options.maxItems === 0) return options.recorder.end("capped", "maxItems");
  const pagination = new Pagination(request, options);
  try {
    while (!pagination.done) {
      const page = await pagination.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await pagination.stop();
  }
}

class Pagination {
  done = false;
  /** For requesters that store responses; undefined for a lookup, which has one response. */
  readonly #context: PaginationContext | undefined;
  /** Whether this package chooses the limit: the operation has one, and the request does not set it. */
  readonly #isSized: boolean;
  /** Rows per page; undefined leaves it to the service. */
  #size: number | undefined;
  readonly #call: CallSignal;
  #ahead: Promise<FetchedPage> | undefined;
  readonly #seen = new SeenRows();
  #reading: Reading;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: PaginationOptions,
  ) {
    const { maxItems = Number.POSITIVE_INFINITY, maxPages, pageSize, signals } = options;
    const hasLimit = new Map(request.query).has("limit");
    this.#isSized = takes(request.operation, "limit") && !hasLimit && maxPages === undefined;
    this.#size = pageSize.rows;
    this.#context = isSearch(request.operation) ? { rows: maxPages === 1 ? 0 : maxItems } : undefined;
    this.#call = new CallSignal(signals);
    this.#reading = new Reading(request);
  }

  /** The next page; undefined if the request budget is used up. */
  async next(): Promise<Page | undefined> {
    const { recorder } = this.options;
    try {
      const { unknownCursor } = this.#reading;
      if (unknownCursor !== undefined)
        throw this.#stuck(
          "UNKNOWN_CURSOR",
          `the response has a cursor in an unknown form: its member ${quoted(unknownCursor)}`,
        );
      const fetched = await this.#response();
      const sent = this.#open(fetched);
      try {
        return this.#accept(sent, fetched);
      } finally {
        recorder.addResponse(fetched.response);
      }
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") return this.#outOfRequests(error);
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
  }

  /** Cancels a request that was sent ahead, and tells whoever stores the responses how far the pagination has come. */
  async stop(): Promise<void> {
    this.#call.release();
    this.#call.abort();
    await Promise.allSettled([this.#ahead]);
    const { verdict, reason, rows } = this.options.recorder;
    const hasFailed = verdict === "stopped" && reason !== "not finished";
    if (!hasFailed) this.#context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
  }

  /** Requests the first page, or the one at the cursor of the last page. */
  #requestNext(): Promise<FetchedPage> {
    const { last, cursor, rows } = this.#reading;
    const { maxItems = Number.POSITIVE_INFINITY, recorder } = this.options;
    // If rows repeat, a small page may contain nothing but duplicates.
    const wanted = recorder.duplicates > 0 ? Number.POSITIVE_INFINITY : maxItems - rows;
    if (last === undefined) return this.#request(undefined, wanted);
    return this.#request(cursor, wanted);
  }

  /**
   * Requests the first page, or the one at a cursor, in smaller pages if the service refuses our choice.
   * @param rows the rows of it that are wanted
   */
  async #request(cursor: string | undefined, rows: number, more: RequestContext = {}): Promise<FetchedPage> {
    const { requester, recorder, pageSize, budget, shape, redact } = this.options;
    const context = { ...recorder.context, ...more, pagination: this.#context, budget, signal: this.#call.signal };
    const isFirst = cursor === undefined;
    const unsized = isFirst ? this.request : this.#following(cursor);
    // Where a numbered page begins depends on its size, so the user or the service chooses that.
    const isNumbered = isFirst && new Map(unsized.query).has("page");
    let refusal: SizeRefusal | undefined;
    for (let isProbe = false; ; ) {
      const size = isNumbered ? pageSize.chosen : this.#size && Math.min(this.#size, rows);
      const asked = this.#isSized ? size : undefined;
      const request = asked === undefined ? unsized : withParameter(unsized, "limit", String(asked));
      let response: ServiceResponse;
      try {
        response = await requester.request(request.path, request.query, { ...context, isProbe });
      } catch (error) {
        const smaller = this.#isSized ? pageSize.smallerThan(asked, error, isFirst) : null;
        if (smaller === null) throw refusal !== undefined && isLocal(error) ? refusal.error : error;
        refusal ??= { error, asked };
        this.#size = smaller.rows;
        isProbe = smaller.isProbe;
        continue;
      }
      let page: Page | undefined;
      try {
        page = openPage(response, request, shape(), redact);
      } catch {
        // The error is thrown when the page is used.
      }
      if (this.#isSized && (isFirst || refusal !== undefined)) pageSize.accept(asked, page?.tape.rows ?? 0, refusal);
      return { request, response, asked, page };
    }
  }

  #following(cursor: string): ArchiveRequest {
    // Two positions in one request would skip pages.
    const query = this.request.query.filter(([name]) => name !== "page");
    return withParameter({ ...this.request, query }, "cursor", cursor);
  }

  async #response(): Promise<FetchedPage> {
    try {
      return await (this.#ahead ?? this.#requestNext());
    } finally {
      this.#ahead = undefined;
    }
  }

  /** The page of a response, checked against the current shape. */
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

  #accept(sent: Page, { asked, response }: FetchedPage): Page {
    const { recorder, maxItems } = this.options;
    const reading = this.#reading;
    const { last, followed } = reading;
    const distinct = reading.seen?.withoutDuplicates(sent, { conflicts: 0 });
    const fresh = this.#seen.withoutDuplicates(distinct ?? sent, recorder);
    const rows = sent.tape.rows;
    const { cursor } = sent;
    const own = (distinct ?? fresh).tape.rows;
    const movement = reading.observe(sent, own);
    reading.unknownCursor = rows === 0 ? undefined : sent.unknownCursor;
    const isLast = rows === 0 || this.#context === undefined || cursor === undefined || movement === "end";
    const ended = (isLast || followed.has(cursor)) && reading.unknownCursor === undefined;
    if (movement === "cycle" && !ended) throw this.#cycleError(reading.stalePages);
    recorder.trail.push(reading.cursor);
    recorder.pages++;
    recorder.duplicates += rows - own;
    reading.rows += own;
    const accepted = Math.min(fresh.tape.rows, (maxItems ?? Number.POSITIVE_INFINITY) - recorder.rows);
    recorder.rows += accepted;
    const cut = accepted < fresh.tape.rows;
    // After a cut page the pagination continues from that page, for the rest of its rows.
    if (!cut) recorder.cursor = ended ? undefined : cursor;
    if (cut || (!ended && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
    else if (ended) recorder.end("complete");
    else if (recorder.pages === this.options.maxPages) recorder.end("capped", "one page");
    else recorder.end("stopped", "not finished");
    this.done = recorder.verdict !== "stopped";
    if (rows > 0 && last !== undefined && this.#isSized) this.options.pageSize.followed(last.asked, last.rows);
    reading.last = { rows, asked, response, cursor: reading.cursor };
    if (cursor !== undefined) followed.add(cursor);
    reading.cursor = cursor;
    if (!this.done && cursor !== undefined && this.options.ahead?.(fresh)) {
      this.#ahead = this.#requestNext();
      // It may never be awaited.
      this.#ahead.catch(() => undefined);
    }
    return cut ? selectRows(fresh, [...Array(accepted).keys()]) : fresh;
  }

  /** Ends the pagination with the pages so far. Without any, throws the failure that would have been retried. */
  #outOfRequests(error: ArchiveError): undefined {
    const { recorder } = this.options;
    this.done = true;
    recorder.end("capped", "maxRequests");
    if (recorder.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  }

  #cycleError(stalePages: number): APIError {
    const { recorder } = this.options;
    // Stale pages added no rows, and may differ next time.
    recorder.pages -= stalePages - 1;
    recorder.cursor = undefined;
    return this.#stuck(
      "CURSOR_CIRCLES",
      `the cursor repeats earlier pages: ${stalePages} pages in a row had no new rows`,
    );
  }

  #stuck(code: "CURSOR_CIRCLES" | "UNKNOWN_CURSOR", problem: string): APIError {
    const { path } = this.request;
    const accept = `maxItems: ${this.options.recorder.rows}`;
    const hint = `Further rows cannot be reached. Pass ${accept} to accept the rows so far as the result.`;
    return new APIError(`GET ${path}: ${problem}.`, { code, hint, method: "GET", path });
  }
}

/**
 * One reading of a search from its first page: a pagination that starts over begins another. It watches for pages without new rows: either
 * rows were added in front, or the cursor leads back to earlier pages.
 */
class Reading {
  readonly followed = new Set<string>();
  /** Different rows. */
  rows = 0;
  cursor: string | undefined;
  /** The member of the last page that leads on in a form that is not known. */
  unknownCursor: string | undefined;
  /** The last page: its rows, those that it was asked for, its response, and the cursor that led to it. */
  last: (Pick<FetchedPage, "asked" | "response"> & { rows: number; cursor: string | undefined }) | undefined;

  /** Consecutive pages without a new row. */
  stalePages = 0;
  /** The most recent of them that end with the last known row. */
  #atLast = 0;
  #freshPages = 0;
  #lastRow = 0;
  #longest = 0;

  /** @param seen its rows, if the pagination knows others */
  constructor(
    { query }: ArchiveRequest,
    readonly seen?: SeenRows,
  ) {
    this.cursor = new Map(query).get("cursor");
    if (this.cursor !== undefined) this.followed.add(this.cursor);
  }

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

/** Whether the service does not accept a cursor, or fails on it. */
export function isRefusal(error: unknown): boolean {
  const { statusCode = 0 } = error instanceof APIError ? error : {};
  return REFUSALS.has(statusCode) || statusCode >= 500;
}

const REFUSALS: ReadonlySet<number> = new Set([400, 404, 410, 422]);
