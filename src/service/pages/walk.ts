import { APIError, ArchiveError } from "../errors/index.js";
import type { Asker, Reply } from "../http/asker.js";
import { LinkedAbort } from "../http/linkedAbort.js";
import type { RequestBudget } from "../http/requestBudget.js";
import { isSearch } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import type { Account } from "./account.js";
import { keepRows, openPage, type Page, type Redact } from "./page.js";
import type { RowShape } from "./rowShape.js";
import { SeenRows } from "./seenRows.js";

/** What a walk over pages needs besides the request. */
export interface WalkOptions {
  readonly asker: Asker;
  readonly account: Account;
  readonly redact: Redact;
  /** What the rows of the next page are checked against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows; `undefined` for all. */
  readonly maxItems: number | undefined;
  /** Stop after this many pages; `undefined` for all. */
  readonly maxPages: number | undefined;
  /** The requests that may be sent. Once it is used up, the pages that came are the result. */
  readonly budget?: RequestBudget | undefined;
  /** Rows to ask for in one page, where the service lets one say and the request does not. */
  readonly pageSize: number;
  /**
   * Requests under way while a page is worked on: 0 asks for a page when its turn comes, 1 for the next one ahead, more
   * for several where pages have numbers.
   */
  readonly ahead: number;
  /**
   * How many of those requests a page allows, by what its consumer still needs; asked before anything is requested ahead.
   * What it throws ends the walk.
   */
  readonly prefetchLimit?: ((page: Page) => number) | undefined;
  /** Any of them stops the walk. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}

/** So many pages in a row that bring nothing new are a cursor that goes in circles. */
export const STALE_PAGES = 3;

/**
 * The pages of a search in the order of its cursor. The walk ends on a page without rows, without a cursor, or with a
 * cursor that was already followed; no row comes twice. How it ended stands in the account.
 *
 * @throws ArchiveError whatever stopped it; the account then holds the cursor to go on from
 */
export async function* walk(request: ArchiveRequest, options: WalkOptions): AsyncGenerator<Page, void, undefined> {
  if (options.maxItems === 0) return options.account.end("capped", "maxItems");
  const steps = new Walk(request, options);
  try {
    while (!steps.done) {
      const page = await steps.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await steps.stop();
  }
}

/** A request that is under way. */
interface Pending {
  readonly ask: ArchiveRequest;
  readonly reply: Promise<Reply>;
  /** The number of the page, where it was asked for by number. */
  readonly number: number | undefined;
}

class Walk {
  done = false;
  readonly #queue: Pending[] = [];
  /** What has been asked and not answered, also where nobody waits for it any more. */
  readonly #underWay = new Set<Promise<Reply>>();
  readonly #followed = new Set<string>();
  readonly #seen = new SeenRows();
  readonly #stopped: LinkedAbort;
  /** Rows that a page is asked for; `undefined` where the service does not let one say. */
  #limit: number | undefined;
  /** The limit is the caller's, and not ours to change. */
  readonly #fixed: boolean;
  /** Number of the next page, once pages are asked for by number. */
  #number: number | undefined;
  /** Pages may be asked for by number: the service has numbers, and the caller did not begin in the middle. */
  #numbered: boolean;
  #firstRows = 0;
  #stale = 0;
  #cursor: string | undefined;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: WalkOptions,
  ) {
    const { maxItems, maxPages, pageSize, signals } = options;
    this.#stopped = new LinkedAbort(signals);
    const given = new Map(request.query);
    const hasLimit = request.operation === "mentions";
    this.#fixed = !hasLimit || maxPages !== undefined || given.has("limit");
    this.#limit = this.#fixed ? Number(given.get("limit")) || undefined : Math.min(pageSize, maxItems ?? pageSize);
    this.#numbered = hasLimit && options.ahead > 1 && !given.has("page") && !given.has("cursor");
    this.#cursor = given.get("cursor");
    this.#send(this.#fixed ? request : withParameter(request, "limit", String(this.#limit)));
  }

  /** Cancels what is still under way; resolves when nothing is. */
  async stop(): Promise<void> {
    this.#stopped.release();
    this.#stopped.abort();
    await Promise.allSettled(this.#underWay);
  }

  /** The next page; undefined where no request was left for it. */
  async next(): Promise<Page | undefined> {
    const { account, maxItems } = this.options;
    const from = this.#cursor;
    let whole: Page;
    let shape: RowShape;
    let number: number | undefined;
    try {
      if (this.#queue.length === 0) this.#send(this.#following());
      ({ whole, shape, number } = await this.#open(this.#queue.shift() as Pending));
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") return this.#outOfRequests(error);
      account.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
    const page = this.#onlyNew(whole, shape);
    if (number !== undefined && whole.ids.length > 0 && page.ids.length === 0) {
      // The service does not know page numbers.
      this.#byCursor();
      return this.next();
    }
    const rows = whole.ids.length;
    const { cursor } = whole;
    const ended = rows === 0 || !isSearch(this.request.operation) || cursor === undefined || this.#followed.has(cursor);
    this.#stale = page.ids.length === 0 ? this.#stale + 1 : 0;
    if (this.#stale === STALE_PAGES && !ended) {
      account.end("stopped", "CURSOR_CIRCLES");
      account.cursor = undefined;
      throw this.#circles();
    }
    // The end, or a page that was cut short: then the next number would leave rows out.
    if (number !== undefined && rows < (this.#limit as number)) this.#byCursor();
    account.trail.push(from);
    account.pages++;
    account.duplicates += rows - page.ids.length;
    const fits = maxItems === undefined ? page.ids.length : Math.min(page.ids.length, maxItems - account.rows);
    account.rows += fits;
    const cut = fits < page.ids.length;
    // A page that was cut is where to go on from: its rest is still to come.
    if (!cut) account.cursor = ended ? undefined : cursor;
    this.done = this.#judge(ended, cut);
    if (cursor !== undefined) this.#followed.add(cursor);
    this.#cursor = cursor;
    if (!this.done) this.#plan(rows, this.#allowed(page));
    return cut ? keepRows(page, [...Array(fits).keys()]) : page;
  }

  /** Writes into the account how things stand, and says whether this is the end. */
  #judge(ended: boolean, cut: boolean): boolean {
    const { account, maxItems, maxPages } = this.options;
    if (cut || (!ended && account.rows === maxItems)) account.end("capped", "maxItems");
    else if (ended) account.end("complete");
    else if (account.pages === maxPages) account.end("capped", "one page");
    else {
      account.end("stopped", "not finished");
      return false;
    }
    return true;
  }

  /** Keeps the pages that came. Without any, the failure that would have been retried says more. */
  #outOfRequests(error: ArchiveError): undefined {
    const { account } = this.options;
    this.done = true;
    account.end("capped", "maxRequests");
    if (account.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  }

  #circles(): APIError {
    const { path } = this.request;
    const { rows } = this.options.account;
    return new APIError(
      `GET ${path}: the cursor goes in circles: ${STALE_PAGES} pages in a row brought no row that was not there already.`,
      {
        code: "CURSOR_CIRCLES",
        hint: `No cursor leads on from there. Pass maxItems: ${rows} to take the rows that came before for the result.`,
        method: "GET",
        path,
      },
    );
  }

  /** Requests that may be under way while a page is worked on. */
  #allowed(page: Page): number {
    const { account, ahead, prefetchLimit } = this.options;
    try {
      return prefetchLimit === undefined ? ahead : Math.min(ahead, prefetchLimit(page));
    } catch (error) {
      account.end("stopped", (error as { code?: string }).code ?? "unknown");
      throw error;
    }
  }

  /** Asks ahead, as far as is allowed and needed. */
  #plan(rows: number, ahead: number): void {
    const { account, maxItems } = this.options;
    if (ahead === 0) return;
    if (this.#number === undefined && this.#numbered) this.#number = this.#firstNumber(rows);
    if (this.#number === undefined) {
      if (this.#queue.length === 0) this.#send(this.#following());
      return;
    }
    const limit = this.#limit as number;
    // The more pages there were, the more may be to come.
    const window = Math.min(ahead, Math.ceil(account.pages / 2));
    const missing = maxItems === undefined ? Number.POSITIVE_INFINITY : maxItems - account.rows;
    while (this.#queue.length < window && (this.#queue.length + 1) * limit <= missing) {
      const numbered = withParameter(withParameter(this.#bare(), "limit", String(limit)), "page", String(this.#number));
      this.#send(numbered, this.#number++);
    }
  }

  /** From here on by the cursor alone; what was asked for by number is of no use. */
  #byCursor(): void {
    this.#numbered = false;
    this.#number = undefined;
    this.#queue.length = 0;
  }

  /** The number of the next page, where the pages so far show how many rows a page has. */
  #firstNumber(rows: number): number | undefined {
    const { pages } = this.options.account;
    if (pages === 1) this.#firstRows = rows;
    if (rows === this.#limit) return pages === 1 ? 2 : undefined;
    // Twice the same, and fewer than asked for: the most that the service gives.
    if (pages !== 2 || rows !== this.#firstRows || this.#fixed || this.#stale > 0) return undefined;
    this.#limit = rows;
    return 3;
  }

  /** The request for the page after the last one, by its cursor. */
  #following(): ArchiveRequest {
    const { account, maxItems } = this.options;
    const next = withParameter(this.#bare(), "cursor", this.#cursor as string);
    if (this.#fixed || this.#limit === undefined) return next;
    const missing = maxItems === undefined ? this.#limit : maxItems - account.rows;
    return withParameter(next, "limit", String(Math.min(this.#limit, missing)));
  }

  /** The request without its place: a page number or a cursor together with another would skip pages. */
  #bare(): ArchiveRequest {
    return { ...this.request, query: this.request.query.filter(([name]) => name !== "page" && name !== "cursor") };
  }

  #send(ask: ArchiveRequest, number?: number): void {
    const { asker, account, budget } = this.options;
    const reply = asker.ask(ask.path, ask.query, { ...account.context, budget, signal: this.#stopped.signal });
    this.#underWay.add(reply);
    const over = () => this.#underWay.delete(reply);
    // It is awaited when its turn comes; until then a failure waits too.
    reply.then(over, over);
    this.#queue.push({ ask, reply, number });
  }

  async #open({ ask, reply, number }: Pending): Promise<{ whole: Page; shape: RowShape; number: number | undefined }> {
    const { account, redact } = this.options;
    let answer: Reply;
    try {
      answer = await reply;
    } catch (error) {
      if (!this.#isTooLarge(error)) throw error;
      this.#limit = undefined;
      this.#numbered = false;
      this.#send(this.request);
      return this.#open(this.#queue.shift() as Pending);
    }
    account.answered(answer);
    const shape = this.options.shape();
    return { whole: openPage(answer, ask, shape, redact), shape, number };
  }

  /** The service refused the first page, and what it may not have liked is our own limit. */
  #isTooLarge(error: unknown): boolean {
    const refused = error instanceof APIError && (error.statusCode === 400 || error.statusCode === 422);
    return refused && !this.#fixed && this.#limit !== undefined && this.#limit > 20 && this.options.account.pages === 0;
  }

  /** The page without rows that are equal to one that has come. Rows that share no more than the id are kept, and counted. */
  #onlyNew(page: Page, shape: RowShape): Page {
    const kept: number[] = [];
    for (const [at, status] of this.#seen.add(page, shape).entries()) {
      if (status !== "duplicate") kept.push(at);
      if (status === "conflict") this.options.account.conflicts++;
    }
    return kept.length === page.ids.length ? page : keepRows(page, kept);
  }
}
