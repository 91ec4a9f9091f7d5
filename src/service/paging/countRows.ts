import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredShape } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import type { RequestBudget } from "../http/requestBudget.js";
import type { PaginationContext, Requester } from "../http/requester.js";
import { operations } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { type CountedPage, CountedPages } from "./countedPages.js";
import { openPage, type Page } from "./page.js";
import { paginate } from "./pagination.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import type { Redact } from "./unreadableBody.js";

/**
 * How far a count can be trusted: "exact", "at least" (there may be more rows), or "estimated" (rows moved between pages, so the
 * count may be too high or too low).
 */
export type CountVerdict = "exact" | "at least" | "estimated";

/** The number of rows of a search. */
export interface RowCount {
  readonly rows: number;
  readonly verdict: CountVerdict;
  /** Why the verdict is not "exact"; null if it is. */
  readonly reason: string | null;
}

/** A count, and how the rows can be reached. */
export interface CountedRows extends RowCount {
  /** Rows on every page but the last; undefined if the count did not use page numbers. */
  readonly pageRows: number | undefined;
}

/** What a count needs besides the request. */
export interface CountRowsOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Rows per page, if the request does not set a limit. */
  readonly pageSize: number;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called after every page. */
  readonly onPage: () => void;
  /** The pagination that the count begins, if it does not end there. Default: a pagination of its own. */
  readonly pagination?: PaginationContext | undefined;
}

/** Pages to follow by cursor where page numbers cannot be used and no budget is set. */
const MAX_CURSOR_PAGES = 50;
/** Numbers grow by this factor until a page is missing: fewer requests than doubling for results of more than 30 pages. */
const GROWTH = 16;
const MAX_NUMBER = 2 ** 40;

/**
 * Counts the rows of a search without fetching most of them. The first two pages come by cursor. If the second one is the same by
 * number, larger numbers find the last page, and its cursor has to confirm the end. Otherwise the count follows the cursor.
 *
 * @throws ArchiveError if a request fails
 */
export async function countRows(request: ArchiveRequest, options: CountRowsOptions): Promise<CountedRows> {
  const signal = new CallSignal([options.signal]);
  // One context for all requests: a snapshot then keeps them as one retrieval. It serves searches for one row, but no others.
  const context: PaginationContext = options.pagination ?? { rows: 1 };
  const requester: Requester = {
    request: (path, query, more) => options.requester.request(path, query, { ...more, pagination: context }),
  };
  const counter = new Counter(request, { ...options, requester, signal: signal.signal });
  try {
    const count = await counter.count();
    options.recorder.end(count.verdict === "exact" ? "complete" : "capped", count.reason);
    if (options.pagination === undefined) context.onEnd?.(1);
    return { ...count, pageRows: counter.pageRows };
  } catch (error) {
    options.recorder.end("stopped", error instanceof ArchiveError ? error.code : "unknown");
    throw error;
  } finally {
    await counter.stop();
    signal.release();
  }
}

class Counter {
  /** See {@link CountedRows.pageRows}. */
  pageRows: number | undefined;
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  readonly #counted = new CountedPages();
  readonly #shape;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: CountRowsOptions & { readonly signal: AbortSignal },
  ) {
    const { requester, recorder, redact, pageSize, budget, signal } = options;
    this.#shape = declaredShape(operations[request.operation].columns);
    const bounds = { maxItems: undefined, maxPages: undefined, budget, pageSize, ahead: 0, signals: [signal] };
    this.#pages = paginate(request, { requester, recorder, redact, shape: () => this.#shape, ...bounds });
  }

  async count(): Promise<RowCount> {
    const { recorder, budget } = this.options;
    try {
      const first = await this.#following(1);
      const second = first && (await this.#following(2));
      if (this.#hasEnded) return this.#countByCursor();
      if (first !== undefined && second !== undefined && (await this.#hasNumbers(first, second))) {
        const last = await this.#lastByNumber(second.rows);
        if (last !== undefined) {
          this.pageRows = second.rows;
          return await this.#confirmed(last, second.rows);
        }
      }
      const maxPages = budget === undefined ? MAX_CURSOR_PAGES : Number.POSITIVE_INFINITY;
      for (let number = 3; number <= maxPages; number++) {
        if ((await this.#following(number)) === undefined || this.#hasEnded) return this.#countByCursor();
      }
      return atLeast(
        recorder.rows,
        `page numbers cannot be used, and ${maxPages} pages by cursor did not reach the end`,
      );
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      if (error.code === "UNKNOWN_CURSOR") return atLeast(recorder.rows, error.message);
      if (error.code === "OUT_OF_REQUESTS") return atLeast(this.#counted.seen, "maxRequests");
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#pages.return();
  }

  /** Whether the pagination by cursor has reached the end. */
  get #hasEnded(): boolean {
    return this.options.recorder.verdict === "complete";
  }

  /** The count of a pagination that has ended. */
  #countByCursor(): RowCount {
    const { rows, verdict, reason } = this.options.recorder;
    return verdict === "complete" ? { rows, verdict: "exact", reason: null } : atLeast(rows, reason ?? "not finished");
  }

  /** The next page by cursor; undefined after the last one. */
  async #following(number: number): Promise<CountedPage | undefined> {
    const { value } = await this.#pages.next();
    if (value === undefined) return undefined;
    const page = this.#counted.open(value, number);
    this.#counted.trust(page);
    this.options.onPage();
    return page;
  }

  /** Whether page 2 is the same by number, after two pages of equal size without repeated rows. */
  async #hasNumbers(first: CountedPage, second: CountedPage): Promise<boolean> {
    if (this.request.operation !== "mentions" || first.rows !== second.rows || second.rows === 0) return false;
    if (this.options.recorder.duplicates > 0 || second.cursor === undefined) return false;
    const byNumber = await this.#numbered(2, second.rows);
    return byNumber?.cursor === second.cursor && byNumber.keys.join() === second.keys.join();
  }

  /** The last page by number; undefined if numbers lead nowhere. Every page before it has `size` rows. */
  async #lastByNumber(size: number): Promise<CountedPage | undefined> {
    const counted = this.#counted;
    let end = Number.POSITIVE_INFINITY;
    let short: CountedPage | undefined;
    let isChecked = false;
    while (end - counted.last > 1) {
      // While the range spans several magnitudes, the geometric mean halves it better.
      const middle = end / counted.last > 2 ? Math.sqrt(counted.last * end) : (counted.last + end) / 2;
      let number = Math.max(counted.last + 1, Math.floor(middle));
      if (end === Number.POSITIVE_INFINITY) number = counted.last < GROWTH ? GROWTH : counted.last * GROWTH;
      if (number > MAX_NUMBER) break;
      // The page before a short one has to be full.
      if (short?.number === end && !isChecked) {
        number = end - 1;
        isChecked = true;
      }
      const page = await this.#numbered(number, size);
      const repeated = page && counted.repeated(page);
      if (page === undefined || page.rows > size || repeated !== undefined) {
        // Of two equal pages, either may be wrong, but the first two came by cursor.
        end = repeated === undefined || repeated <= 2 ? number : Math.min(number, repeated);
        counted.distrust(end);
        if (short !== undefined && short.number >= end) short = undefined;
      } else if (page.rows === size) counted.trust(page);
      else {
        counted.remember(page);
        short = page;
        end = number;
      }
    }
    const last = short?.number === counted.last + 1 ? short : counted.lastPage;
    return last === undefined || last.number <= 2 ? undefined : last;
  }

  /** Follows the cursor of the last page: an empty page by number may only be a limit of the service. */
  async #confirmed(last: CountedPage, size: number): Promise<RowCount> {
    const counted = this.#counted;
    const rows = (last.number - 1) * size + last.rows;
    if (counted.hasMoved) return { rows, verdict: "estimated", reason: "rows repeat from page to page" };
    if (last.cursor === undefined) return atLeast(rows, "the last page by number has no cursor to confirm the end");
    // A short page that leads back is the last one. A full one may only be the last that can be reached.
    const isShort = last.rows < size;
    if (isShort && counted.leadsBack(last)) return { rows, verdict: "exact", reason: null };
    const page = await this.#open(withParameter(this.#sized(size), "cursor", last.cursor), last.number + 1);
    const more = counted.newRows(page, last);
    if (more === 0 && (isShort ? counted.isEnd(page, last) : page.rows === 0))
      return { rows, verdict: "exact", reason: null };
    return atLeast(rows + more, `the cursor leads on after page ${last.number}, the last one by number`);
  }

  /** A page by number; undefined if there is none, or the service refuses the number. */
  async #numbered(number: number, size: number): Promise<CountedPage | undefined> {
    try {
      const page = await this.#open(withParameter(this.#sized(size), "page", String(number)), number);
      return page.rows === 0 ? undefined : page;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  async #open(request: ArchiveRequest, number: number): Promise<CountedPage> {
    const { requester, recorder, redact, budget, signal, onPage } = this.options;
    const response = await requester.request(request.path, request.query, { ...recorder.context, budget, signal });
    recorder.addResponse(response);
    const page = openPage(response, request, this.#shape, redact);
    const counted = this.#counted.open(page, number);
    recorder.pages++;
    onPage();
    return counted;
  }

  #sized(size: number): ArchiveRequest {
    return withParameter(this.request, "limit", String(size));
  }
}

function atLeast(rows: number, reason: string): RowCount {
  return { rows, verdict: "at least", reason };
}

/** Whether the service refused a page number, as opposed to the key, the rate, or no response at all. */
function isRefusal(error: unknown): boolean {
  return error instanceof APIError && REFUSALS.has(error.code);
}

const REFUSALS: ReadonlySet<string> = new Set([
  "NOT_FOUND",
  "HTTP_ERROR",
  "SERVER_ERROR",
  "BODY_NOT_JSON",
  "UNEXPECTED_BODY",
]);
