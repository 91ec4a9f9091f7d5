import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredSchema, rowsJson } from "../../pages/rows.js";
import type { PaginationContext, Requester } from "../http/requester.js";
import { operations, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page } from "./page.js";
import { type PaginationOptions, paginate } from "./pagination.js";
import { SeenRows } from "./seenRows.js";

/** The number of rows of a search. */
export interface RowCount {
  readonly rows: number;
  /** "exact", or "at least": there may be more rows. */
  readonly verdict: "exact" | "at least";
  /** Why the verdict is not "exact"; null if it is. */
  readonly reason: string | null;
}

export interface CounterOptions
  extends Pick<PaginationOptions, "requester" | "recorder" | "redact" | "pageSize" | "budget"> {
  readonly signal: AbortSignal | undefined;
  /** Called with each page; those by cursor are the rows of the search from its first one on. */
  readonly onPage: (page: Page, isByCursor: boolean) => void;
}

/** Pages to follow by cursor where page numbers cannot be used and no budget is set. */
const MAX_CURSOR_PAGES = 50;
/** Page numbers grow at most by this factor (beyond 30 pages, fewer requests than doubling), up to a maximum. */
const [GROWTH, MAX_NUMBER] = [16, 2 ** 40];
/** How a service refuses a page number, as opposed to a key or a rate. */
const REFUSALS = new Set<string>(["NOT_FOUND", "HTTP_ERROR", "SERVER_ERROR", "BODY_NOT_JSON", "UNEXPECTED_BODY"]);
const UNREACHABLE = new Set<string>(["UNKNOWN_CURSOR", "CURSOR_CIRCLES", "OUT_OF_REQUESTS"]);

/**
 * Counts the rows of a search without fetching most of them. The first two pages come by cursor. If the second one is the same by number,
 * larger numbers find the last page, and its cursor has to confirm the end. Otherwise, and where pages repeat rows, the count follows the
 * cursor.
 */
export class RowCounter {
  /** Rows per page, if the count has used page numbers. */
  rowsPerPage: number | undefined;
  readonly #context: PaginationContext = { rows: 1 };
  readonly #requester: Requester;
  readonly #schema;
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  #pagesRead = 0;
  readonly #seen = new SeenRows();

  constructor(
    readonly request: ArchiveRequest,
    readonly options: CounterOptions,
  ) {
    this.#requester = {
      request: (path, query, more) => options.requester.request(path, query, { ...more, pagination: this.#context }),
    };
    this.#schema = declaredSchema(operations[request.operation].columns);
    const common = { ...options, requester: this.#requester, schema: () => this.#schema, signals: [options.signal] };
    this.#pages = paginate(request, common);
  }

  async count(): Promise<RowCount> {
    const { recorder } = this.options;
    try {
      const count = (await this.#countByNumber()) ?? (await this.#countByCursor());
      recorder.end(count.verdict === "exact" ? "complete" : "capped", count.reason);
      return count;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      recorder.end("capped", error.code);
      const reason = error.code === "OUT_OF_REQUESTS" ? "maxRequests" : error.message;
      return atLeast(recorder.rows, reason);
    }
  }

  /** Reads pages by cursor until there are `maxPages`. Returns whether the search has ended. */
  async read(maxPages: number): Promise<boolean> {
    while (this.#pagesRead < maxPages && (await this.#next()));
    return this.options.recorder.verdict === "complete";
  }

  /** Fetches a page by number, or by the cursor of one. */
  async open(request: ArchiveRequest): Promise<Page> {
    const { recorder, redact, budget, signal, onPage } = this.options;
    const context = { ...recorder.context, budget, signal };
    const response = await this.#requester.request(request.path, request.query, context);
    recorder.addResponse(response);
    const page = openPage(response, request, this.#schema, redact);
    recorder.pages++;
    onPage(page, false);
    return page;
  }

  async close(): Promise<void> {
    await this.#pages.return();
    if (this.options.recorder.verdict !== "stopped") this.#context.onEnd?.(1);
  }

  /** The next page by cursor; undefined after the last one. */
  async #next(): Promise<Page | undefined> {
    const { value: page } = await this.#pages.next();
    if (page === undefined) return undefined;
    this.#pagesRead++;
    this.options.onPage(page, true);
    return page;
  }

  async #countByCursor(): Promise<RowCount> {
    const { recorder, budget } = this.options;
    const maxPages = budget === undefined ? MAX_CURSOR_PAGES : Number.POSITIVE_INFINITY;
    if (await this.read(maxPages)) return { rows: recorder.rows, verdict: "exact", reason: null };
    const { rows, verdict, reason } = recorder;
    const problem = `page numbers cannot be used, and ${maxPages} pages by cursor did not reach the end`;
    return atLeast(rows, verdict === "capped" ? (reason ?? "") : problem);
  }

  /** Undefined if page 2 is not the same by number, the first two pages are not of equal size, or pages repeat rows. */
  async #countByNumber(): Promise<RowCount | undefined> {
    const [first, second] = [await this.#next(), await this.#next()];
    if (this.options.recorder.verdict !== "stopped" || !takes(this.request.operation, "page")) return undefined;
    const size = second?.records.rows ?? 0;
    if (first === undefined || second?.cursor === undefined || first.records.rows !== size) return undefined;
    const byNumber = await this.#numbered(2, size);
    if (byNumber === undefined || !isSamePage(byNumber, second)) return undefined;
    if (!this.#isNew(first) || !this.#isNew(second)) return undefined;
    let [number, page, end] = [2, second, MAX_NUMBER];
    let shortPage: Page | undefined;
    while (end - number > 1) {
      // The range spans orders of magnitude: the geometric mean halves it.
      const middle = Math.min(number * GROWTH, Math.ceil(Math.sqrt(number * end)));
      const candidate = await this.#numbered(middle, size);
      if (candidate !== undefined && (candidate.records.rows > size || !this.#isNew(candidate))) return undefined;
      if (candidate?.records.rows === size) [number, page] = [middle, candidate];
      else [end, shortPage] = [middle, candidate];
    }
    if (shortPage !== undefined) [number, page] = [end, shortPage];
    if (page === second) return undefined;
    this.rowsPerPage = size;
    // All pages before the last one are assumed to be as long as page 2.
    const rows = (number - 1) * size + page.records.rows;
    if (page.cursor === undefined) return atLeast(rows, "the last page by number has no cursor to confirm the end");
    // An empty page by number may only be a limit of the service.
    const next = await this.open(this.#pageAt(size, "cursor", page.cursor));
    if (next.records.rows === 0 || (page.records.rows < size && isSamePage(next, page)))
      return { rows, verdict: "exact", reason: null };
    return atLeast(rows, `the cursor continues after page ${number}, the last one by number`);
  }

  /** A page by number; undefined if there is none, or the service refuses the number. */
  async #numbered(number: number, size: number): Promise<Page | undefined> {
    try {
      const page = await this.open(this.#pageAt(size, "page", String(number)));
      return page.records.rows === 0 ? undefined : page;
    } catch (error) {
      if (error instanceof APIError && REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  #pageAt(size: number, position: "cursor" | "page", value: string): ArchiveRequest {
    return withParameter(withParameter(this.request, "limit", String(size)), position, value);
  }

  /** Adds a page. Returns whether no page had its rows. */
  #isNew(page: Page): boolean {
    return this.#seen.withoutDuplicates(page, { conflicts: 0 }) === page;
  }
}

/** Whether further rows cannot be reached: their number is unknown. */
export function isUnreachable(error: unknown): error is ArchiveError {
  return error instanceof ArchiveError && UNREACHABLE.has(error.code);
}

function isSamePage(a: Page, b: Page): boolean {
  return a.cursor === b.cursor && rowsJson(a) === rowsJson(b);
}

function atLeast(rows: number, reason: string): RowCount {
  return { rows, verdict: "at least", reason };
}
