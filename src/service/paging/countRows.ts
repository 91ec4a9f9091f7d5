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

/** Pages to follow by cursor where page numbers cannot be used and no budget is set. */
const MAX_CURSOR_PAGES = 50;
/** Numbers grow by this factor until a page is missing: fewer requests than doubling for results of more than 30 pages. */
const GROWTH = 16;
const MAX_NUMBER = 2 ** 40;
/** How a service refuses a page number, as opposed to a key or a rate. */
const REFUSALS = new Set<string>(["NOT_FOUND", "HTTP_ERROR", "SERVER_ERROR", "BODY_NOT_JSON", "UNEXPECTED_BODY"]);

/**
 * Counts the rows of a search without fetching most of them. The first two pages come by cursor. If the second one is the same by number,
 * larger numbers find the last page, and its cursor has to confirm the end. Otherwise the count follows the cursor.
 */
export class RowCounter {
  /** Rows on every page but the last; undefined if the count did not use page numbers. */
  pageRows: number | undefined;
  /** One for all requests: a snapshot then keeps them as one run. It serves searches for one row, but no others. */
  readonly #context: PaginationContext = { rows: 1 };
  readonly #requester: Requester;
  readonly #shape;
  readonly #pages: AsyncGenerator<Page, void, undefined>;
  #pagesRead = 0;
  /** Number of the page on which each row was seen first. */
  readonly #pageOf = new Map<string, number>();
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
      const count = (await this.#countByNumber()) ?? (await this.#countByCursor());
      recorder.end(count.verdict === "exact" ? "complete" : "capped", count.reason);
      return count;
    } catch (error) {
      const { code = "unknown", message } = error as ArchiveError;
      const isCapped = error instanceof ArchiveError && (code === "UNKNOWN_CURSOR" || code === "OUT_OF_REQUESTS");
      recorder.end(isCapped ? "capped" : "stopped", code);
      if (!isCapped) throw error;
      return atLeast(Math.max(recorder.rows, this.#pageOf.size), code === "UNKNOWN_CURSOR" ? message : "maxRequests");
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

  /** The next page by cursor; undefined after the last one. */
  async #next(): Promise<CountedPage | undefined> {
    const { value: page } = await this.#pages.next();
    if (page === undefined) return undefined;
    this.options.onPage(page, true);
    return countedPage(page, ++this.#pagesRead);
  }

  async #countByCursor(): Promise<RowCount> {
    const { recorder, budget } = this.options;
    const maxPages = budget === undefined ? MAX_CURSOR_PAGES : Number.POSITIVE_INFINITY;
    if (await this.read(maxPages)) return exactly(recorder.rows);
    const { rows, verdict, reason } = recorder;
    if (verdict === "capped") return atLeast(rows, reason ?? "");
    return atLeast(rows, `page numbers cannot be used, and ${maxPages} pages by cursor did not reach the end`);
  }

  /** Undefined if page 2 is not the same by number, or the first two pages are not of equal size, with different rows. */
  async #countByNumber(): Promise<RowCount | undefined> {
    const { recorder } = this.options;
    const [first, second] = [await this.#next(), await this.#next()];
    for (const page of [first, second]) if (page !== undefined) this.#remember(page);
    if (recorder.verdict !== "stopped" || !takes(this.request.operation, "page")) return undefined;
    if (second?.cursor === undefined || first?.rows !== second.rows || recorder.duplicates > 0) return undefined;
    const size = second.rows;
    const byNumber = await this.#numbered(2, size);
    if (byNumber?.cursor !== second.cursor || byNumber.keys.join() !== second.keys.join()) return undefined;
    const full = [first, second];
    const last = await this.#lastByNumber(full);
    if (last === second) return undefined;
    this.pageRows = size;
    return this.#confirmed(
      last,
      full.filter((page) => page !== last),
      size,
    );
  }

  /**
   * The last page by number. Every page before it has as many rows as the first two, which came by cursor.
   * @param full pages of that size with new rows, in ascending order; more are added
   */
  async #lastByNumber(full: CountedPage[]): Promise<CountedPage> {
    const last = () => full.at(-1) as CountedPage;
    const size = last().rows;
    let end = Number.POSITIVE_INFINITY;
    let short: CountedPage | undefined;
    while (end - last().number > 1 && last().number < MAX_NUMBER) {
      const number = between(last().number, end);
      const page = await this.#numbered(number, size);
      if (page !== undefined && page.rows <= size && !page.keys.every((key) => this.#pageOf.has(key))) {
        this.#remember(page);
        if (page.rows === size) full.push(page);
        else [short, end] = [page, number];
        continue;
      }
      // Services that ignore numbers, or stop at one, repeat pages: either of two equal ones may be wrong, except for the first two.
      const repeated = this.#pageOf.get(page?.keys[0] ?? "") ?? number;
      end = repeated <= 2 ? number : Math.min(number, repeated);
      while (last().number >= Math.max(end, 3)) full.pop();
      if (short !== undefined && short.number >= end) short = undefined;
    }
    return short?.number === last().number + 1 ? short : last();
  }

  /** Follows the cursor of the last page: an empty page by number may only be a limit of the service. */
  async #confirmed(last: CountedPage, earlier: readonly CountedPage[], size: number): Promise<RowCount> {
    const rows = (last.number - 1) * size + last.rows;
    if (this.#hasMoved) return { rows, verdict: "estimated", reason: "rows repeat from page to page" };
    if (last.cursor === undefined) return atLeast(rows, "the last page by number has no cursor to confirm the end");
    const { keys, cursor } = countedPage(await this.open(this.#sized(size, "cursor", last.cursor)), 0);
    const pages = [...earlier, last];
    const more = keys.filter((key) => !pages.some((page) => page.keys.includes(key))).length;
    const leadsBack = cursor === undefined || pages.some((page) => page.cursor === cursor);
    // A short page that leads back is the last one. A full one may only be the last that can be reached.
    if (more === 0 && (keys.length === 0 || (last.rows < size && leadsBack))) return exactly(rows);
    return atLeast(rows + more, `the cursor leads on after page ${last.number}, the last one by number`);
  }

  /** A page by number; undefined if there is none, or the service refuses the number. */
  async #numbered(number: number, size: number): Promise<CountedPage | undefined> {
    try {
      const page = countedPage(await this.open(this.#sized(size, "page", String(number))), number);
      return page.rows === 0 ? undefined : page;
    } catch (error) {
      if (error instanceof APIError && REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  #sized(size: number, position: "cursor" | "page", value: string): ArchiveRequest {
    return withParameter(withParameter(this.request, "limit", String(size)), position, value);
  }

  #remember({ keys, number }: CountedPage): void {
    for (const key of keys) {
      if (this.#pageOf.has(key)) this.#hasMoved = true;
      else this.#pageOf.set(key, number);
    }
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
