import { type ArchiveRequest, withParameter } from "../operations/request.js";

/** What a {@link PageRequests} has to know. */
export interface PageRequestOptions {
  readonly maxItems: number | undefined;
  readonly maxPages: number | undefined;
  readonly pageSize: number;
}

/** Makes the requests of a walk: for its first page, for the page at a cursor, and for a page by number. */
export class PageRequests {
  /** Rows that a page is asked for; `undefined` where the service does not let one say. */
  limit: number | undefined;
  /** The limit is the caller's, and not ours to change. */
  readonly fixed: boolean;
  /** Pages may have numbers: the operation takes them, and the caller did not begin in the middle. */
  readonly hasNumbers: boolean;

  constructor(
    readonly request: ArchiveRequest,
    { maxItems, maxPages, pageSize }: PageRequestOptions,
  ) {
    const given = new Map(request.query);
    const hasLimit = request.operation === "mentions";
    this.fixed = !hasLimit || maxPages !== undefined || given.has("limit");
    this.limit = this.fixed ? Number(given.get("limit")) || undefined : Math.min(pageSize, maxItems ?? pageSize);
    this.hasNumbers = hasLimit && !given.has("page") && !given.has("cursor");
  }

  /** The cursor that the caller begins with. */
  get cursor(): string | undefined {
    return this.request.query.find(([name]) => name === "cursor")?.[1];
  }

  /** The first page; without a limit of ours where the service has refused that. */
  first(): ArchiveRequest {
    const { request, limit } = this;
    return this.fixed || limit === undefined ? request : withParameter(request, "limit", String(limit));
  }

  /** The page at a cursor, of `rows` rows at most where that is ours to say. */
  at(cursor: string, rows: number): ArchiveRequest {
    const next = withParameter(this.#bare(), "cursor", cursor);
    if (this.fixed || this.limit === undefined) return next;
    return withParameter(next, "limit", String(Math.min(this.limit, rows)));
  }

  /** The page of a number. */
  numbered(number: number): ArchiveRequest {
    return withParameter(withParameter(this.#bare(), "limit", String(this.limit)), "page", String(number));
  }

  /** The request without its place: a page number or a cursor together with another would skip pages. */
  #bare(): ArchiveRequest {
    return { ...this.request, query: this.request.query.filter(([name]) => name !== "page" && name !== "cursor") };
  }
}
