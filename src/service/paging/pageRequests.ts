import { AbortedError, ArchiveError } from "../../errors/index.js";
import { CallSignal } from "../../util/callSignal.js";
import type { PaginationContext, ServiceResponse } from "../http/requester.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import type { PaginationOptions } from "./paginationOptions.js";

/** A request that was sent for a page. Its response may be pending. */
export interface PageRequest {
  readonly request: ArchiveRequest;
  readonly response: Promise<ServiceResponse>;
}

/** Builds and sends the requests of a pagination: for its first page, for the page at a cursor, and for a page by number. */
export class PageRequests {
  /** Rows to request per page; `undefined` if the operation takes no limit, or the service refused ours. */
  limit: number | undefined;
  /** Whether the limit must not change: the caller set it, or the operation has none. */
  readonly fixed: boolean;
  /** Whether pages can be requested by number: the operation takes `page`, and the caller starts at the first one. */
  readonly hasNumbers: boolean;
  /** The cursor that the caller starts from. */
  readonly cursor: string | undefined;
  readonly #signal: CallSignal;
  /** Every promise that has not settled, including those that the pagination no longer awaits. */
  readonly #pending = new Set<Promise<ServiceResponse>>();

  constructor(
    readonly request: ArchiveRequest,
    readonly options: PaginationOptions,
    readonly context: PaginationContext | undefined,
  ) {
    const { maxItems, maxPages, pageSize } = options;
    const query = new Map(request.query);
    const hasLimit = request.operation === "mentions";
    this.fixed = !hasLimit || maxPages !== undefined || query.has("limit");
    this.limit = this.fixed ? Number(query.get("limit")) || undefined : Math.min(pageSize, maxItems ?? pageSize);
    this.hasNumbers = hasLimit && !query.has("page") && !query.has("cursor");
    this.cursor = query.get("cursor");
    this.#signal = new CallSignal(options.signals);
  }

  /** Requests the first page, with our limit unless the service refused it. */
  first(): PageRequest {
    const { request, limit } = this;
    return this.#send(this.fixed || limit === undefined ? request : withParameter(request, "limit", String(limit)));
  }

  /** Requests the page at a cursor, with at most `rows` rows if we choose the limit. */
  at(cursor: string, rows: number): PageRequest {
    const next = withParameter(this.#withoutPosition(), "cursor", cursor);
    const sized = this.fixed || this.limit === undefined;
    return this.#send(sized ? next : withParameter(next, "limit", String(Math.min(this.limit as number, rows))));
  }

  /** Requests a page by number. */
  numbered(number: number): PageRequest {
    const sized = withParameter(this.#withoutPosition(), "limit", String(this.limit));
    return this.#send(withParameter(sized, "page", String(number)));
  }

  get isStopped(): boolean {
    return this.#signal.signal.aborted;
  }

  /** @throws AbortedError, also if the reason of the signal is another error */
  throwIfAborted(): void {
    const { aborted, reason } = this.#signal.signal;
    if (aborted) throw reason instanceof ArchiveError ? reason : new AbortedError(undefined, reason);
  }

  /** Cancels all requests. Resolves when every one has settled. */
  async stop(): Promise<void> {
    this.#signal.release();
    this.#signal.abort();
    await Promise.allSettled(this.#pending);
  }

  /** The request without page number and cursor: two positions in one request would skip pages. */
  #withoutPosition(): ArchiveRequest {
    return { ...this.request, query: this.request.query.filter(([name]) => name !== "page" && name !== "cursor") };
  }

  #send(request: ArchiveRequest): PageRequest {
    const { requester, recorder, budget } = this.options;
    const { signal } = this.#signal;
    const context = { ...recorder.context, pagination: this.context, budget, signal };
    const response = requester.request(request.path, request.query, context);
    this.#pending.add(response);
    const settle = () => this.#pending.delete(response);
    // Also marks a rejection as handled: the pagination may await this promise later, or never.
    response.then(settle, settle);
    return { request, response };
  }
}
