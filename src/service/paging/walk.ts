import { APIError, ArchiveError } from "../../errors/index.js";
import { CallSignal } from "../../util/callSignal.js";
import type { ServiceResponse, WalkContext } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import { haveSameRows, openPage, type Page, selectRows } from "./page.js";
import { PageRequests } from "./pageRequests.js";
import { SeenRows } from "./seenRows.js";
import { cursorCycleError, StallDetector } from "./stallDetector.js";
import { reportEnd, walkContext } from "./walkContext.js";
import type { WalkOptions } from "./walkOptions.js";

/** Numbers are checked after so many pages: shorter walks would spend more requests than they save time. */
const CHECK_AFTER = 8;
/** Fewer pages than this are fetched by the cursor. */
const FEWEST_NUMBERED = 8;
/** The request that checks the numbers and the one that confirms the end: so many fewer are under way at once. */
const SPARED = 2;

/**
 * The pages of a search in the order of its cursor. The walk ends on a page, fetched by its cursor, without rows, without a
 * cursor, or with a cursor that was already followed; no row comes twice. How it ended stands in the account.
 *
 * @throws ArchiveError whatever stopped it; the account then holds the cursor to go on from
 */
export async function* walk(request: ArchiveRequest, options: WalkOptions): AsyncGenerator<Page, void, undefined> {
  if (options.maxItems === 0) return options.recorder.end("capped", "maxItems");
  const steps = new Walk(request, options);
  try {
    while (!steps.done) {
      const page = await steps.next();
      if (page !== undefined) yield page;
    }
  } finally {
    await steps.stop();
    reportEnd(steps.context, options.recorder);
  }
}

/** How the next pages are asked for; the README has the transitions. */
type State = "cursor" | "checking" | "numbered" | "cursor alone";

/** A request that is under way. */
interface Pending {
  readonly ask: ArchiveRequest;
  readonly response: Promise<ServiceResponse>;
  /** It was asked for by number: a guess, which cannot end the walk. */
  readonly isGuess: boolean;
}

/** A page as it was sent, and what is new of it. */
interface Opened {
  readonly whole: Page;
  readonly page: Page;
}

class Walk {
  done = false;
  readonly context: WalkContext | undefined;
  #state: State;
  /** The next pages, in order. */
  readonly #queue: Pending[] = [];
  /** The next page by number, asked for beside the same page by cursor. */
  #check: Pending | undefined;
  /** What has been asked and not answered, also where nobody waits for it any more. */
  readonly #underWay = new Set<Promise<ServiceResponse>>();
  readonly #followed = new Set<string>();
  readonly #seen = new SeenRows();
  readonly #repeats = new StallDetector();
  readonly #stopped: CallSignal;
  readonly #guesses: CallSignal;
  readonly #requests: PageRequests;
  /** Rows of each page so far; `undefined` where they differ. */
  #pageRows: number | undefined;
  /** Number of the next page, once pages are asked for by number. */
  #number = 0;
  #cursor: string | undefined;

  constructor(
    readonly request: ArchiveRequest,
    readonly options: WalkOptions,
  ) {
    this.context = walkContext(request, options);
    this.#stopped = new CallSignal(options.signals);
    this.#guesses = new CallSignal([this.#stopped.signal]);
    this.#requests = new PageRequests(request, options);
    this.#state = this.#requests.hasNumbers && options.ahead >= 2 * SPARED ? "cursor" : "cursor alone";
    this.#cursor = this.#requests.cursor;
    this.#queue.push(this.#send(this.#requests.first()));
  }

  /** Cancels what is still under way; resolves when nothing is. */
  async stop(): Promise<void> {
    this.#guesses.release();
    this.#stopped.release();
    this.#guesses.abort();
    this.#stopped.abort();
    await Promise.allSettled(this.#underWay);
  }

  /** The next page; undefined where no request was left for it. */
  async next(): Promise<Page | undefined> {
    const { recorder } = this.options;
    try {
      const opened = await this.#openNext();
      if (this.#state === "checking") await this.#compare(opened.whole);
      return this.#accept(opened);
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") return this.#outOfRequests(error);
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
  }

  /** The next page that came. Where a guess was wrong, the cursor leads on from the last page before it. */
  async #openNext(): Promise<Opened> {
    for (;;) {
      const pending = this.#queue.shift() ?? this.#sendFollowing();
      const opened = pending.isGuess ? await this.#openGuess(pending) : await this.#open(pending);
      if (opened !== undefined) return opened;
      this.#dropGuesses();
    }
  }

  #accept({ whole, page }: Opened): Page {
    const { recorder, maxItems } = this.options;
    const rows = whole.ids.length;
    const { cursor } = whole;
    const movement = this.#repeats.observe(whole, page.ids.length);
    const isLast = rows === 0 || !isSearch(this.request.operation) || cursor === undefined || movement === "end";
    const ended = isLast || this.#followed.has(cursor);
    if (movement === "circles" && !ended) throw this.#circles();
    recorder.trail.push(this.#cursor);
    recorder.pages++;
    recorder.duplicates += rows - page.ids.length;
    const fits = maxItems === undefined ? page.ids.length : Math.min(page.ids.length, maxItems - recorder.rows);
    recorder.rows += fits;
    const cut = fits < page.ids.length;
    // A page that was cut is where to go on from: its rest is still to come.
    if (!cut) recorder.cursor = ended ? undefined : cursor;
    this.done = this.#judge(ended, cut);
    if (cursor !== undefined) this.#followed.add(cursor);
    this.#cursor = cursor;
    this.#pageRows = recorder.pages === 1 || this.#pageRows === rows ? rows : undefined;
    // A page that was cut short: the next number would leave rows out.
    if (this.#state === "numbered" && rows !== this.#requests.limit) this.#dropGuesses();
    if (!this.done) this.#plan(page);
    return cut ? selectRows(page, [...Array(fits).keys()]) : page;
  }

  /** Writes into the account how things stand, and says whether this is the end. */
  #judge(ended: boolean, cut: boolean): boolean {
    const { recorder, maxItems, maxPages } = this.options;
    if (cut || (!ended && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
    else if (ended) recorder.end("complete");
    else if (recorder.pages === maxPages) recorder.end("capped", "one page");
    else {
      recorder.end("stopped", "not finished");
      return false;
    }
    return true;
  }

  /** Keeps the pages that came. Without any, the failure that would have been retried says more. */
  #outOfRequests(error: ArchiveError): undefined {
    const { recorder } = this.options;
    this.done = true;
    recorder.end("capped", "maxRequests");
    if (recorder.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  }

  #circles(): APIError {
    const { recorder } = this.options;
    const { stalePages } = this.#repeats;
    // The pages that repeated others have brought nothing, and may be other ones next time.
    recorder.pages -= stalePages - 1;
    recorder.cursor = undefined;
    return cursorCycleError(this.request.path, stalePages, recorder.rows);
  }

  /** Asks ahead, as far as is allowed and needed while a page is worked on. */
  #plan(page: Page): void {
    const { ahead, prefetchLimit, recorder } = this.options;
    const { pages } = recorder;
    const allowed = prefetchLimit === undefined ? ahead : Math.min(ahead, prefetchLimit(page));
    if (allowed === 0) return;
    // The more pages there were, the more may be to come.
    const window = Math.min(allowed, Math.ceil(pages / 2)) - SPARED;
    if (this.#state === "numbered") {
      const limit = this.#requests.limit as number;
      while (this.#queue.length < window && (this.#queue.length + 1) * limit <= this.#missing()) {
        this.#queue.push(this.#sendNumber());
      }
    }
    if (this.#state === "cursor" && window >= SPARED && this.#mayCheck(pages)) this.#state = "checking";
    if (this.#queue.length === 0) this.#queue.push(this.#sendFollowing());
    if (this.#state === "checking") this.#check = this.#sendNumber();
  }

  /** Whether the pages so far show where the numbered pages begin, and enough of them are to come. */
  #mayCheck(pages: number): boolean {
    const rows = this.#pageRows;
    const { limit, fixed } = this.#requests;
    if (pages < CHECK_AFTER || rows === undefined || limit === undefined) return false;
    if ((fixed && rows !== limit) || this.#missing() < FEWEST_NUMBERED * rows) return false;
    // Fewer than asked for, and always the same: the most that the service gives.
    this.#requests.limit = rows;
    this.#number = pages + 1;
    return true;
  }

  /** Numbers hold where the same page came by number and by cursor, with the same cursor. */
  async #compare(whole: Page): Promise<void> {
    const check = this.#check as Pending;
    const holds =
      whole.ids.length === this.#requests.limit && whole.cursor !== undefined && (await this.#isSame(check, whole));
    if (holds) this.#state = "numbered";
    else this.#dropGuesses();
  }

  async #isSame({ response, ask }: Pending, whole: Page): Promise<boolean> {
    const { redact, shape } = this.options;
    try {
      const page = openPage(await response, ask, shape(), redact);
      return page.cursor === whole.cursor && haveSameRows(page, whole);
    } catch {
      this.#stopped.signal.throwIfAborted();
      return false;
    }
  }

  /** From here on by the cursor alone; what was asked for by number is of no use. */
  #dropGuesses(): void {
    this.#state = "cursor alone";
    this.#queue.length = 0;
    this.#guesses.abort();
  }

  /** Rows that may still be taken. */
  #missing(): number {
    const { recorder, maxItems } = this.options;
    return maxItems === undefined ? Number.POSITIVE_INFINITY : maxItems - recorder.rows;
  }

  /** Asks for the page after the last one by its cursor; where pages have numbers it has one as well. */
  #sendFollowing(): Pending {
    if (this.#state === "numbered") this.#number++;
    // Where rows come twice, a page of the few that are missing may bring none of them.
    const rows = this.options.recorder.duplicates > 0 ? Number.POSITIVE_INFINITY : this.#missing();
    return this.#send(this.#requests.at(this.#cursor as string, rows));
  }

  #sendNumber(): Pending {
    return this.#send(this.#requests.numbered(this.#number++), true);
  }

  #send(ask: ArchiveRequest, isGuess = false): Pending {
    const { requester, recorder, budget } = this.options;
    const { signal } = isGuess ? this.#guesses : this.#stopped;
    const response = requester.request(ask.path, ask.query, {
      ...recorder.context,
      walk: this.context,
      budget,
      signal,
    });
    this.#underWay.add(response);
    const over = () => this.#underWay.delete(response);
    // It is awaited when its turn comes; until then a failure waits too.
    response.then(over, over);
    return { ask, response, isGuess };
  }

  async #open({ ask, response }: Pending): Promise<Opened> {
    const { recorder, redact } = this.options;
    let answer: ServiceResponse;
    try {
      answer = await response;
    } catch (error) {
      if (!this.#isTooLarge(error)) throw error;
      this.#requests.limit = undefined;
      this.#state = "cursor alone";
      return this.#open(this.#send(this.#requests.first()));
    }
    recorder.answered(answer);
    const shape = this.options.shape();
    const whole = openPage(answer, ask, shape, redact);
    return { whole, page: this.#seen.withoutDuplicates(whole, shape, recorder) };
  }

  /** A page that was asked for by number; undefined where it cannot be the next one: the cursor knows better. */
  async #openGuess({ ask, response }: Pending): Promise<Opened | undefined> {
    const { recorder, redact } = this.options;
    const shape = this.options.shape();
    let answer: ServiceResponse;
    let whole: Page;
    try {
      answer = await response;
      whole = openPage(answer, ask, shape, redact);
    } catch {
      this.#stopped.signal.throwIfAborted();
      return undefined;
    }
    if (whole.ids.length === 0 || whole.cursor === undefined || this.#followed.has(whole.cursor)) return undefined;
    const page = this.#seen.withoutDuplicates(whole, shape, recorder);
    if (page.ids.length === 0) return undefined;
    recorder.answered(answer);
    return { whole, page };
  }

  /** The service refused the first page, and what it may not have liked is our own limit. */
  #isTooLarge(error: unknown): boolean {
    const refused = error instanceof APIError && (error.statusCode === 400 || error.statusCode === 422);
    const { fixed, limit = 0 } = this.#requests;
    return refused && !fixed && limit > 20 && this.options.recorder.pages === 0;
  }
}
