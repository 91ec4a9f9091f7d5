import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredShape } from "../../pages/rows.js";
import type { PaginationContext, RequestBudget, Requester } from "../http/requester.js";
import { operations, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type Redact } from "./page.js";
import type { PageSize } from "./pageSize.js";
import { paginate } from "./pagination.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";

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

export interface CountRowsOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Rows per page, if the request does not set a limit. */
  readonly pageSize: PageSize;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onPage: (page: Page) => void;
  /** Whether a first page of so many rows can be trusted to be the last. Default: none can. */
  readonly isEnd?: ((rows: number) => boolean) | undefined;
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
 */
export async function countRows(request: ArchiveRequest, options: CountRowsOptions): Promise<CountedRows> {
  // One context for all requests: a snapshot then keeps them as one retrieval. It serves searches for one row, but no others.
  const context: PaginationContext = options.pagination ?? { rows: 1 };
  const requester: Requester = {
    request: (path, query, more) => options.requester.request(path, query, { ...more, pagination: context }),
  };
  const counter = new Counter(request, { ...options, requester });
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
  }
}

interface CountedPage {
  readonly number: number;
  readonly rows: number;
  readonly cursor: string | undefined;
  readonly keys: readonly string[];
}

/** The pages that come by cursor. Page numbers have to agree with them. */
const CURSOR_PAGES = 2;

class Counter {
  pageRows: number | undefined;
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  readonly #shape;
  /** Number of the page on which each row was seen first. */
  readonly #pageOf = new Map<string, number>();
  /**
   * In ascending order, the pages that are full and whose rows are new: services that ignore numbers, or stop at a certain number,
   * repeat pages.
   */
  readonly #trusted: CountedPage[] = [];
  /** Whether two pages shared rows: rows were added meanwhile, or are equal. */
  #hasMoved = false;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: CountRowsOptions,
  ) {
    this.#shape = declaredShape(operations[request.operation].columns);
    this.#pages = paginate(request, { ...options, shape: () => this.#shape, signals: [options.signal] });
  }

  async count(): Promise<RowCount> {
    const { recorder, budget } = this.options;
    try {
      const first = await this.#following(1);
      if (first && this.options.isEnd?.(first.rows)) return exactly(first.rows);
      const second = first && (await this.#following(2));
      const numbered = recorder.verdict !== "complete" && first && second && (await this.#countByNumber(first, second));
      if (numbered) return numbered;
      const maxPages = budget === undefined ? MAX_CURSOR_PAGES : Number.POSITIVE_INFINITY;
      for (let number = 3; number <= maxPages; number++) if ((await this.#following(number)) === undefined) break;
      const { rows, verdict, reason } = recorder;
      if (verdict === "complete") return exactly(rows);
      const tooFar = `page numbers cannot be used, and ${maxPages} pages by cursor did not reach the end`;
      return atLeast(rows, reason === null || reason === "not finished" ? tooFar : reason);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      if (error.code === "UNKNOWN_CURSOR") return atLeast(recorder.rows, error.message);
      if (error.code === "OUT_OF_REQUESTS") return atLeast(this.#pageOf.size, "maxRequests");
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#pages.return();
  }

  get #last(): CountedPage {
    return this.#trusted.at(-1) as CountedPage;
  }

  /** The next page by cursor; undefined after the last one. */
  async #following(number: number): Promise<CountedPage | undefined> {
    const { value } = await this.#pages.next();
    if (value === undefined) return undefined;
    const page = countedPage(value, number);
    this.#remember(page);
    this.#trusted.push(page);
    this.options.onPage(value);
    return page;
  }

  #remember({ keys, number }: CountedPage): void {
    for (const key of keys) {
      if (this.#pageOf.has(key)) this.#hasMoved = true;
      else this.#pageOf.set(key, number);
    }
  }

  /** Counts by number if page 2 is the same by number, after two pages of equal size without repeated rows; otherwise undefined. */
  async #countByNumber(first: CountedPage, second: CountedPage): Promise<RowCount | undefined> {
    if (!takes(this.request.operation, "page") || first.rows !== second.rows || second.rows === 0) return undefined;
    if (this.options.recorder.duplicates > 0 || second.cursor === undefined) return undefined;
    const byNumber = await this.#numbered(2, second.rows);
    if (byNumber?.cursor !== second.cursor || byNumber.keys.join() !== second.keys.join()) return undefined;
    const last = await this.#lastByNumber(second.rows);
    if (last.number <= CURSOR_PAGES) return undefined;
    this.pageRows = second.rows;
    return this.#confirmed(last, second.rows);
  }

  /** The last page by number. Every page before it has `size` rows. */
  async #lastByNumber(size: number): Promise<CountedPage> {
    let end = Number.POSITIVE_INFINITY;
    let short: CountedPage | undefined;
    let isChecked = false;
    while (end - this.#last.number > 1) {
      const from = this.#last.number;
      // While the range spans several magnitudes, the geometric mean halves it better.
      const middle = end / from > 2 ? Math.sqrt(from * end) : (from + end) / 2;
      let number = Math.max(from + 1, Math.floor(middle));
      if (end === Number.POSITIVE_INFINITY) number = from < GROWTH ? GROWTH : from * GROWTH;
      if (number > MAX_NUMBER) break;
      // The page before a short one has to be full.
      if (short?.number === end && !isChecked) {
        number = end - 1;
        isChecked = true;
      }
      const page = await this.#numbered(number, size);
      const isRepeated = page?.keys.every((key) => this.#pageOf.has(key));
      if (page === undefined || page.rows > size || isRepeated) {
        const repeated = isRepeated ? (this.#pageOf.get(page?.keys[0] as string) as number) : number;
        // Either of two equal pages may be wrong, except for the first two, which came by cursor. Rows of a distrusted page stay known.
        end = repeated <= CURSOR_PAGES ? number : Math.min(number, repeated);
        while (this.#last.number >= Math.max(end, CURSOR_PAGES + 1)) this.#trusted.pop();
        if (short !== undefined && short.number >= end) short = undefined;
        continue;
      }
      this.#remember(page);
      if (page.rows === size) this.#trusted.push(page);
      else {
        short = page;
        end = number;
      }
    }
    return short?.number === this.#last.number + 1 ? short : this.#last;
  }

  /** Follows the cursor of the last page: an empty page by number may only be a limit of the service. */
  async #confirmed(last: CountedPage, size: number): Promise<RowCount> {
    const rows = (last.number - 1) * size + last.rows;
    if (this.#hasMoved) return { rows, verdict: "estimated", reason: "rows repeat from page to page" };
    if (last.cursor === undefined) return atLeast(rows, "the last page by number has no cursor to confirm the end");
    const others = this.#trusted.filter((page) => page !== last);
    // A short page that leads back is the last one. A full one may only be the last that can be reached.
    const isShort = last.rows < size;
    if (isShort && others.some(({ cursor }) => cursor === last.cursor)) return exactly(rows);
    const { keys, cursor, ...next } = await this.#open(withParameter(this.#sized(size), "cursor", last.cursor), 0);
    const known = new Set([...others, last].flatMap((page) => page.keys));
    const more = keys.filter((key) => !known.has(key)).length;
    const leadsBack = cursor === undefined || [...others, last].some((page) => page.cursor === cursor);
    if (more === 0 && (next.rows === 0 || (isShort && leadsBack))) return exactly(rows);
    return atLeast(rows + more, `the cursor leads on after page ${last.number}, the last one by number`);
  }

  /** A page by number; undefined if there is none, or the service refuses the number. */
  async #numbered(number: number, size: number): Promise<CountedPage | undefined> {
    try {
      const page = await this.#open(withParameter(this.#sized(size), "page", String(number)), number);
      return page.rows === 0 ? undefined : page;
    } catch (error) {
      if (error instanceof APIError && REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  async #open(request: ArchiveRequest, number: number): Promise<CountedPage> {
    const { requester, recorder, redact, budget, signal, onPage } = this.options;
    const response = await requester.request(request.path, request.query, { ...recorder.context, budget, signal });
    recorder.addResponse(response);
    const page = openPage(response, request, this.#shape, redact);
    recorder.pages++;
    onPage(page);
    return countedPage(page, number);
  }

  #sized(size: number): ArchiveRequest {
    return withParameter(this.request, "limit", String(size));
  }
}

function countedPage({ tape, cursor }: Page, number: number): CountedPage {
  const keys = Array.from(tape.hashesLow(), (low, row) => `${tape.hashHigh(row)} ${low}`);
  return { number, rows: keys.length, cursor, keys };
}

function exactly(rows: number): RowCount {
  return { rows, verdict: "exact", reason: null };
}

function atLeast(rows: number, reason: string): RowCount {
  return { rows, verdict: "at least", reason };
}

/** How a service refuses a page number, as opposed to a key or a rate. */
const REFUSALS: ReadonlySet<string> = new Set([
  "NOT_FOUND",
  "HTTP_ERROR",
  "SERVER_ERROR",
  "BODY_NOT_JSON",
  "UNEXPECTED_BODY",
]);
