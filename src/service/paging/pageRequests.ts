import { type ArchiveRequest, withParameter } from "../operations/request.js";

/** Options of {@link PageRequests}. */
export interface PageRequestOptions {
  readonly maxItems: number | undefined;
  readonly maxPages: number | undefined;
  readonly pageSize: number;
}

/** Builds the requests of a walk: for its first page, for the page at a cursor, and for a page by number. */
export class PageRequests {
  /** Rows to request per page; `undefined` if the operation takes no limit, or the service refused ours. */
  limit: number | undefined;
  /** Whether the limit must not change: the caller set it, or the operation has none. */
  readonly fixed: boolean;
  /** Whether pages can be requested by number: the operation takes `page`, and the caller starts at the first one. */
  readonly hasNumbers: boolean;

  constructor(
    readonly request: ArchiveRequest,
    { maxItems, maxPages, pageSize }: PageRequestOptions,
  ) {
    const query = new Map(request.query);
    const hasLimit = request.operation === "mentions";
    this.fixed = !hasLimit || maxPages !== undefined || query.has("limit");
    this.limit = this.fixed ? Number(query.get("limit")) || undefined : Math.min(pageSize, maxItems ?? pageSize);
    this.hasNumbers = hasLimit && !query.has("page") && !query.has("cursor");
  }

  /** The cursor that the caller starts from. */
  get cursor(): string | undefined {
    return this.request.query.find(([name]) => name === "cursor")?.[1];
  }

  /** The request for the first page, with our limit unless the service refused it. */
  first(): ArchiveRequest {
    const { request, limit } = this;
    return this.fixed || limit === undefined ? request : withParameter(request, "limit", String(limit));
  }

  /** The request for the page at a cursor, with at most `rows` rows if we choose the limit. */
  at(cursor: string, rows: number): ArchiveRequest {
    const next = withParameter(this.#withoutPosition(), "cursor", cursor);
    if (this.fixed || this.limit === undefined) return next;
    return withParameter(next, "limit", String(Math.min(this.limit, rows)));
  }

  /** The request for a page by number. */
  numbered(number: number): ArchiveRequest {
    return withParameter(withParameter(this.#withoutPosition(), "limit", String(this.limit)), "page", String(number));
  }

  /** The request without page number and cursor: two positions in one request would skip pages. */
  #withoutPosition(): ArchiveRequest {
    return { ...this.request, query: this.request.query.filter(([name]) => name !== "page" && name !== "cursor") };
  }
}
