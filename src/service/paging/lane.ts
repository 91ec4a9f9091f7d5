import type { ServiceResponse } from "../http/requester.js";
import type { ArchiveRequest } from "../operations/request.js";
import { openPage, type Page } from "./page.js";
import type { PageRequest, PageRequests } from "./pageRequests.js";
import type { PaginationOptions } from "./paginationOptions.js";

/** A response with its page. */
export interface FetchedPage {
  readonly request: ArchiveRequest;
  readonly response: ServiceResponse;
  /** Undefined if it is unreadable. */
  readonly page: Page | undefined;
}

/** Pages of a lane while there are few, and at most. */
const MIN_PAGES = 6;
const MAX_PAGES = 24;
/** Rows that all lanes may hold until it is their turn. */
const MAX_ROWS = 60_000;

/** Pages of the lane that begins after so many pages: the more there were, the more may follow. */
export function lanePages(before: number): number {
  return Math.min(MAX_PAGES, Math.max(MIN_PAGES, Math.ceil(before / 6)));
}

/** How many lanes may run after so many pages: a short result should not cost many needless requests. */
export function maxLanes(pages: number, rows: number, ahead: number): number {
  return Math.min(ahead, Math.ceil(pages / 2) + 1, 1 + Math.floor(MAX_ROWS / (rows * lanePages(pages))));
}

/**
 * Consecutive pages that are fetched ahead, one after another: the first by number or by cursor, the others by the cursor of the
 * page before.
 */
export class Lane {
  readonly #pages: Array<Promise<FetchedPage | undefined>>;
  #isStopped = false;

  constructor(
    first: PageRequest,
    pages: number,
    readonly requests: PageRequests,
    readonly options: Pick<PaginationOptions, "shape" | "redact">,
  ) {
    let page: Promise<FetchedPage | undefined> = this.#fetch(first);
    this.#pages = [page];
    while (this.#pages.length < pages) {
      page = page.then((last) => this.#following(last));
      this.#pages.push(page);
    }
    // The pagination may await them later, or never.
    for (const each of this.#pages) each.catch(() => undefined);
  }

  /** Whether pages are left. */
  get isEmpty(): boolean {
    return this.#pages.length === 0;
  }

  /** The page at the beginning of the lane; undefined if there is none, or the service refused it. */
  async start(): Promise<Page | undefined> {
    const fetched = await this.#pages[0]?.catch(() => this.requests.throwIfAborted());
    return fetched?.page;
  }

  /** Resolves when all of its pages have been fetched, or one has failed. */
  async settled(): Promise<void> {
    await this.#pages.at(-1)?.catch(() => undefined);
  }

  /** Takes the next page; undefined after the last one. */
  take(): Promise<FetchedPage | undefined> | undefined {
    return this.#pages.shift();
  }

  /** Sends no further requests. */
  stop(): void {
    this.#isStopped = true;
  }

  async #following(last: FetchedPage | undefined): Promise<FetchedPage | undefined> {
    const { cursor, ids } = last?.page ?? {};
    if (cursor === undefined || ids?.length === 0 || this.#isStopped || this.requests.isStopped) return undefined;
    return this.#fetch(this.requests.at(cursor, Number.POSITIVE_INFINITY));
  }

  async #fetch({ request, response: pending }: PageRequest): Promise<FetchedPage> {
    const response = await pending;
    const { shape, redact } = this.options;
    try {
      return { request, response, page: openPage(response, request, shape(), redact) };
    } catch {
      return { request, response, page: undefined };
    }
  }
}
