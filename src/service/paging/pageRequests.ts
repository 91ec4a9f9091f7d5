import { AbortedError, ArchiveError } from "../../errors/index.js";
import type { RowShape } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import type { PaginationContext, RequestBudget, Requester, ServiceResponse } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type Redact } from "./page.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";

/** What a pagination needs besides the request. */
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
  readonly pageSize: number;
  /**
   * Requests in flight while a page is processed: 0 (the default) requests each page on demand, 1 prefetches the next page, more
   * prefetch several if pages have numbers.
   */
  readonly ahead?: number;
  /**
   * Lowers `ahead` after a page to what its consumer still needs. Called before anything is prefetched; an error that it
   * throws ends the pagination.
   */
  readonly prefetchLimit?: ((page: Page) => number) | undefined;
  /** Each of them stops the pagination when it aborts. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}

/** A response with its page. */
export interface FetchedPage {
  readonly request: ArchiveRequest;
  readonly response: ServiceResponse;
  /** Undefined if it is unreadable. */
  readonly page: Page | undefined;
}

/**
 * Consecutive pages that are fetched ahead, one after another: the first by number or by cursor, the others by the cursor of the
 * page before. A page that does not exist is undefined.
 */
export interface Lane {
  readonly pages: Array<Promise<FetchedPage | undefined>>;
  /** Send no further requests. */
  isStopped: boolean;
}

/** Builds and sends the requests of a pagination: for its first page, for the pages at a cursor, and for pages by number. */
export class PageRequests {
  /** Rows to request per page; `undefined` if the operation takes no limit, or the service refused ours. */
  limit: number | undefined;
  /** Whether the limit must not change: the caller set it, or the operation has none. */
  readonly fixed: boolean;
  /** Whether pages can be requested by number: the operation takes `page`, and the caller starts at the first one. */
  readonly hasNumbers: boolean;
  /** The cursor that the caller starts from. */
  readonly cursor: string | undefined;
  /** What a requester that stores responses needs to know; undefined for a lookup, which has one response. */
  readonly context: PaginationContext | undefined;
  readonly #call: CallSignal;
  /** Every promise that has not settled, including those that the pagination no longer awaits. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(
    readonly request: ArchiveRequest,
    readonly options: PaginationOptions,
  ) {
    const { maxItems, maxPages, pageSize, signals } = options;
    const query = new Map(request.query);
    const hasLimit = request.operation === "mentions";
    this.fixed = !hasLimit || maxPages !== undefined || query.has("limit");
    this.limit = this.fixed ? Number(query.get("limit")) || undefined : Math.min(pageSize, maxItems ?? pageSize);
    this.hasNumbers = hasLimit && !query.has("page") && !query.has("cursor");
    this.cursor = query.get("cursor");
    const rows = maxPages === 1 ? 0 : (maxItems ?? Number.POSITIVE_INFINITY);
    this.context = isSearch(request.operation) ? { rows } : undefined;
    this.#call = new CallSignal(signals);
  }

  /** The request without page number and cursor: two positions in one request would skip pages. */
  get #base(): ArchiveRequest {
    return { ...this.request, query: this.request.query.filter(([name]) => name !== "page" && name !== "cursor") };
  }

  /** Requests the first page, with our limit unless the service refused it. */
  first(): Lane {
    return this.#lane(this.#sized(this.request, Number.POSITIVE_INFINITY), 1);
  }

  /** Requests the pages from a cursor on, the first with at most `rows` rows if we choose the limit. */
  at(cursor: string, rows: number, pages: number): Lane {
    return this.#lane(this.#next(cursor, rows), pages);
  }

  /** Requests pages from a number on. */
  numbered(number: number, pages: number): Lane {
    const sized = withParameter(this.#base, "limit", String(this.limit));
    return this.#lane(withParameter(sized, "page", String(number)), pages);
  }

  /** @throws AbortedError, also if the reason of the signal is another error */
  throwIfAborted(): void {
    const { aborted, reason } = this.#call.signal;
    if (aborted) throw reason instanceof ArchiveError ? reason : new AbortedError(undefined, reason);
  }

  /** Cancels all requests. Resolves when every one has settled. */
  async stop(): Promise<void> {
    this.#call.release();
    this.#call.abort();
    await Promise.allSettled(this.#pending);
  }

  #lane(first: ArchiveRequest, pages: number): Lane {
    let page: Promise<FetchedPage | undefined> = this.#fetch(first);
    const lane = { pages: [page], isStopped: false };
    while (lane.pages.length < pages) {
      page = page.then((last) => {
        const { cursor, tape } = last?.page ?? {};
        const hasEnded = cursor === undefined || tape?.rows === 0 || lane.isStopped || this.#call.signal.aborted;
        return hasEnded ? undefined : this.#fetch(this.#next(cursor, Number.POSITIVE_INFINITY));
      });
      // The pagination may await it later, or never.
      page.catch(() => undefined);
      lane.pages.push(page);
    }
    return lane;
  }

  #next(cursor: string, rows: number): ArchiveRequest {
    return this.#sized(withParameter(this.#base, "cursor", cursor), rows);
  }

  #sized(request: ArchiveRequest, rows: number): ArchiveRequest {
    if (this.fixed || this.limit === undefined) return request;
    return withParameter(request, "limit", String(Math.min(this.limit, rows)));
  }

  #fetch(request: ArchiveRequest): Promise<FetchedPage> {
    const { requester, recorder, budget, shape, redact } = this.options;
    const context = { ...recorder.context, pagination: this.context, budget, signal: this.#call.signal };
    const fetched = requester.request(request.path, request.query, context).then((response) => {
      try {
        return { request, response, page: openPage(response, request, shape(), redact) };
      } catch {
        return { request, response, page: undefined };
      }
    });
    this.#pending.add(fetched);
    const settle = () => this.#pending.delete(fetched);
    fetched.then(settle, settle);
    return fetched;
  }
}
