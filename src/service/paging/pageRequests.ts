import type { RowShape } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import type {
  PaginationContext,
  RequestBudget,
  RequestContext,
  Requester,
  ServiceResponse,
} from "../http/requester.js";
import { isSearch, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type Redact } from "./page.js";
import { isLocal, type PageSize, type SizeRefusal } from "./pageSize.js";
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
  readonly pageSize: PageSize;
  /**
   * Whether the next page is requested while this one is processed. Default: never. Called before it is requested; an error that it
   * throws ends the pagination.
   */
  readonly ahead?: ((page: Page) => boolean) | undefined;
  /** Whether it starts over if the service does not continue what an earlier run has stored. Default false. */
  readonly startsOver?: boolean | undefined;
  /** Each of them stops the pagination when it aborts. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}

/** A response with its page. */
export interface FetchedPage {
  readonly request: ArchiveRequest;
  readonly response: ServiceResponse;
  /** Undefined if it is unreadable. */
  readonly page: Page | undefined;
  /** The rows that were asked for; undefined if that was left to the service. */
  readonly asked: number | undefined;
}

/** Builds and sends the requests of a pagination, one after the other. */
export class PageRequests {
  /** For requesters that store responses; undefined for a lookup, which has one response. */
  readonly context: PaginationContext | undefined;
  /** Whether this package chooses the limit: the operation has one, and the request does not set it. */
  readonly isSized: boolean;
  /** Rows per page; undefined leaves it to the service. */
  #size: number | undefined;
  readonly #call: CallSignal;
  /** The last request. */
  #sent: Promise<unknown> | undefined;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: PaginationOptions,
  ) {
    const { maxItems = Number.POSITIVE_INFINITY, maxPages, pageSize, signals } = options;
    const hasLimit = new Map(request.query).has("limit");
    this.isSized = takes(request.operation, "limit") && !hasLimit && maxPages === undefined;
    this.#size = pageSize.rows;
    this.context = isSearch(request.operation) ? { rows: maxPages === 1 ? 0 : maxItems } : undefined;
    this.#call = new CallSignal(signals);
  }

  /**
   * Requests the first page, or the one at a cursor, in smaller pages if the service refuses our choice.
   * @param rows the rows of it that are wanted
   */
  at(cursor: string | undefined, rows: number, more: RequestContext = {}): Promise<FetchedPage> {
    const fetched = this.#fetch(cursor === undefined ? this.request : this.#following(cursor), rows, more);
    this.#sent = fetched;
    // A page that was requested ahead may never be awaited.
    fetched.catch(() => undefined);
    return fetched;
  }

  /** Cancels the last request. Resolves when it has settled. */
  async stop(): Promise<void> {
    this.#call.release();
    this.#call.abort();
    await Promise.allSettled([this.#sent]);
  }

  #following(cursor: string): ArchiveRequest {
    // Two positions in one request would skip pages.
    const query = this.request.query.filter(([name]) => name !== "page");
    return withParameter({ ...this.request, query }, "cursor", cursor);
  }

  async #fetch(unsized: ArchiveRequest, rows: number, more: RequestContext): Promise<FetchedPage> {
    const { requester, recorder, pageSize, budget, shape, redact } = this.options;
    const context = { ...recorder.context, ...more, pagination: this.context, budget, signal: this.#call.signal };
    const isFirst = unsized === this.request;
    // Where a numbered page begins depends on its size, so the user or the service chooses that.
    const isNumbered = isFirst && new Map(unsized.query).has("page");
    let refusal: SizeRefusal | undefined;
    for (let isProbe = false; ; ) {
      const size = isNumbered ? pageSize.chosen : this.#size && Math.min(this.#size, rows);
      const asked = this.isSized ? size : undefined;
      const request = asked === undefined ? unsized : withParameter(unsized, "limit", String(asked));
      let response: ServiceResponse;
      try {
        response = await requester.request(request.path, request.query, { ...context, isProbe });
      } catch (error) {
        const smaller = this.isSized ? pageSize.smallerThan(asked, error, isFirst) : null;
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
      if (this.isSized && (isFirst || refusal !== undefined)) pageSize.accept(asked, page?.tape.rows ?? 0, refusal);
      return { request, response, asked, page };
    }
  }
}
