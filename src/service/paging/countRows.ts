import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredShape } from "../../pages/rows.js";
import type { PaginationContext, Requester } from "../http/requester.js";
import { operations, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page } from "./page.js";
import { type PaginationOptions, paginate } from "./pagination.js";
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

export interface CounterOptions
  extends Pick<PaginationOptions, "requester" | "recorder" | "redact" | "pageSize" | "budget"> {
  readonly signal: AbortSignal | undefined;
  /** Called with each page; those by cursor are the rows of the search from its first one on. */
  readonly onPage: (page: Page, isByCursor: boolean) => void;
}

interface CountedPage {
  readonly number: number;
  readonly rows: number;
  readonly cursor: string | undefined;
  /** One per row. */
  readonly keys: readonly string[];
}

/** The pages that come by cursor. Page numbers have to agree with them. */
const CURSOR_PAGES = 2;
/** Pages to follow by cursor where page numbers cannot be used and no budget is set. */
const MAX_CURSOR_PAGES = 50;
/** Numbers grow by this factor until a page is missing: fewer requests than doubling for results of more than 30 pages. */
const GROWTH = 16;
const MAX_NUMBER = 2 ** 40;

/**
 * A search that is counted. The first two pages come by cursor. If the second one is the same by number, larger numbers find the last page,
 * and its cursor has to confirm the end. Otherwise the count follows the cursor.
 */
export class RowCounter {
  /** Rows on every page but the last; undefined if the count did not use page numbers. */
  pageRows: number | undefined;
  /** One context for all requests: a snapshot then keeps them as one run. It serves searches for one row, but no others. */
  readonly #context: PaginationContext = { rows: 1 };
  readonly #requester: Requester;
  readonly #shape;
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  #pagesRead = 0;
  /** Number of the page on which each row was seen first. */
  readonly #pageOf = new Map<string, number>();
  /** The full pages with new rows, in ascending order. Services that ignore numbers, or stop at one, repeat pages. */
  readonly #full: CountedPage[] = [];
  /** Whether two pages shared rows: rows were added meanwhile, or are equal. */
  #hasMoved = false;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: CounterOptions,
  ) {
    this.#requester = {
      request: (path, query, more) => options.requester.request(path, query, { ...more, pagination: this.#context }),
    };
    this.#shape = declaredShape(operations[request.operation].columns);
    const common = { ...options, requester: this.#requester, shape: () => this.#shape, signals: [options.signal] };
    this.#pages = paginate(request, common);
  }

  async count(): Promise<RowCount> {
    const { recorder } = this.options;
    try {
      const count = await this.#count();
      recorder.end(count.verdict === "exact" ? "complete" : "capped", count.reason);
      return count;
    } catch (error) {
      const code = error instanceof ArchiveError ? error.code : "unknown";
      const known = { UNKNOWN_CURSOR: (error as Error).message, OUT_OF_REQUESTS: "maxRequests" }[code as string];
      recorder.end(known === undefined ? "stopped" : "capped", known ?? code);
      if (known === undefined) throw error;
      return atLeast(this.#pageOf.size, known);
    }
  }

  /** Reads pages by cursor until there are `maxPages`. Returns whether the search has ended. */
  async read(maxPages: number): Promise<boolean> {
    while (this.#pagesRead < maxPages && (await this.#next()) !== undefined);
    return this.options.recorder.verdict === "complete";
  }

  /** Fetches a page by number, or by the cursor of one. */
  async open(request: ArchiveRequest, recorder: ProvenanceRecorder = this.options.recorder): Promise<Page> {
    const { redact, budget, signal, onPage } = this.options;
    const response = await this.#requester.request(request.path, request.query, {
      ...recorder.context,
      budget,
      signal,
    });
    recorder.addResponse(response);
    const page = openPage(response, request, this.#shape, redact);
    recorder.pages++;
    onPage(page, false);
    return page;
  }

  async close(): Promise<void> {
    await this.#pages.return();
    if (this.options.recorder.verdict !== "stopped") this.#context.onEnd?.(1);
  }

  async #count(): Promise<RowCount> {
    const { recorder, budget } = this.options;
    for (let number = 1; number <= CURSOR_PAGES; number++) {
      const page = await this.#next();
      if (page !== undefined) this.#add(countedPage(page, number));
    }
    const byNumber = recorder.verdict !== "complete" && (await this.#countByNumber());
    if (byNumber) return byNumber;
    const maxPages = budget === undefined ? MAX_CURSOR_PAGES : Number.POSITIVE_INFINITY;
    if (await this.read(maxPages)) return exactly(recorder.rows);
    const { rows, reason } = recorder;
    const tooFar = `page numbers cannot be used, and ${maxPages} pages by cursor did not reach the end`;
    return atLeast(rows, reason === "not finished" ? tooFar : (reason ?? tooFar));
  }

  get #last(): CountedPage {
    return this.#full.at(-1) as CountedPage;
  }

  /** The next page by cursor; undefined after the last one. */
  async #next(): Promise<Page | undefined> {
    const { value } = await this.#pages.next();
    if (value === undefined) return undefined;
    this.#pagesRead++;
    this.options.onPage(value, true);
    return value;
  }

  /** Adds a full page. */
  #add(page: CountedPage): void {
    this.#remember(page);
    this.#full.push(page);
  }

  #remember({ keys, number }: CountedPage): void {
    for (const key of keys) {
      if (this.#pageOf.has(key)) this.#hasMoved = true;
      else this.#pageOf.set(key, number);
    }
  }

  /** Counts by number if page 2 is the same by number, after two pages of equal size without repeated rows; otherwise undefined. */
  async #countByNumber(): Promise<RowCount | undefined> {
    const [first, second] = this.#full;
    if (!takes(this.request.operation, "page") || second?.cursor === undefined) return undefined;
    const { rows: size, cursor, keys } = second;
    if (first?.rows !== size || size === 0 || this.options.recorder.duplicates > 0) return undefined;
    const byNumber = await this.#numbered(2, size);
    if (byNumber?.cursor !== cursor || byNumber.keys.join() !== keys.join()) return undefined;
    const last = await this.#lastByNumber(size);
    if (last.number <= CURSOR_PAGES) return undefined;
    this.pageRows = size;
    return this.#confirmed(last, size);
  }

  /** The last page by number. Every page before it has `size` rows. */
  async #lastByNumber(size: number): Promise<CountedPage> {
    let end = Number.POSITIVE_INFINITY;
    let short: CountedPage | undefined;
    while (end - this.#last.number > 1 && this.#last.number < MAX_NUMBER) {
      const number = between(this.#last.number, end);
      const page = await this.#numbered(number, size);
      if (page !== undefined && page.rows <= size && !page.keys.every((key) => this.#pageOf.has(key))) {
        this.#remember(page);
        if (page.rows === size) this.#full.push(page);
        else [short, end] = [page, number];
        continue;
      }
      // Either of two equal pages may be wrong, except for the first two, which came by cursor.
      const repeated = this.#pageOf.get(page?.keys[0] ?? "") ?? number;
      end = repeated <= CURSOR_PAGES ? number : Math.min(number, repeated);
      while (this.#last.number >= Math.max(end, CURSOR_PAGES + 1)) this.#full.pop();
      if (short !== undefined && short.number >= end) short = undefined;
    }
    return short?.number === this.#last.number + 1 ? short : this.#last;
  }

  /** Follows the cursor of the last page: an empty page by number may only be a limit of the service. */
  async #confirmed(last: CountedPage, size: number): Promise<RowCount> {
    const rows = (last.number - 1) * size + last.rows;
    if (this.#hasMoved) return { rows, verdict: "estimated", reason: "rows repeat from page to page" };
    if (last.cursor === undefined) return atLeast(rows, "the last page by number has no cursor to confirm the end");
    const earlier = this.#full.filter((page) => page !== last);
    // A short page that leads back is the last one. A full one may only be the last that can be reached.
    const isShort = last.rows < size;
    if (isShort && earlier.some(({ cursor }) => cursor === last.cursor)) return exactly(rows);
    const page = await this.open(withParameter(this.#sized(size), "cursor", last.cursor));
    const { keys, cursor } = countedPage(page, 0);
    const pages = [...earlier, last];
    const keysSoFar = new Set(pages.flatMap((each) => each.keys));
    const more = keys.filter((key) => !keysSoFar.has(key)).length;
    const leadsBack = cursor === undefined || pages.some((each) => each.cursor === cursor);
    if (more === 0 && (keys.length === 0 || (isShort && leadsBack))) return exactly(rows);
    return atLeast(rows + more, `the cursor leads on after page ${last.number}, the last one by number`);
  }

  /** A page by number; undefined if there is none, or the service refuses the number. */
  async #numbered(number: number, size: number): Promise<CountedPage | undefined> {
    try {
      const page = await this.open(withParameter(this.#sized(size), "page", String(number)));
      return page.tape.rows === 0 ? undefined : countedPage(page, number);
    } catch (error) {
      if (error instanceof APIError && REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  #sized(size: number): ArchiveRequest {
    return withParameter(this.request, "limit", String(size));
  }
}

/** While a range of numbers spans several magnitudes, its geometric mean halves it better. */
function between(from: number, end: number): number {
  if (end === Number.POSITIVE_INFINITY) return from < GROWTH ? GROWTH : from * GROWTH;
  return Math.max(from + 1, Math.floor(end / from > 2 ? Math.sqrt(from * end) : (from + end) / 2));
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
const REFUSALS = new Set<string>(["NOT_FOUND", "HTTP_ERROR", "SERVER_ERROR", "BODY_NOT_JSON", "UNEXPECTED_BODY"]);
