import { APIError, ArchiveError } from "../../errors/index.js";
import type { RowShape } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import { quoted } from "../../util/quoted.js";
import type { PaginationContext, RequestBudget, Requester, ServiceResponse } from "../http/requester.js";
import { isSearch, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type Redact, selectRows } from "./page.js";
import { isLocal, type PageSize } from "./pageSize.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import { SeenRows } from "./seenRows.js";

export interface PaginationOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Returns the shape to check the rows of the next page against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows. Default: all. */
  readonly maxItems?: number | undefined;
  /** Stop after this many pages. Default: all. */
  readonly maxPages?: number | undefined;
  /** The requests that may be sent. Once it is used up, the result is the pages so far. */
  readonly budget?: RequestBudget | undefined;
  /** Rows per page, if the operation takes a limit and the request does not set one. */
  readonly pageSize: PageSize;
  /**
   * Whether the next page is requested while this one is processed. Default: never. Called before it is requested; an error that it
   * throws ends the pagination.
   */
  readonly ahead?: ((page: Page) => boolean) | undefined;
  /** Each of them stops the pagination when it aborts. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}

/**
 * The pages of a search in cursor order, without duplicate rows. The pagination ends on a page without rows, without a cursor, or with a
 * cursor that was already followed. The recorder then has the verdict.
 */
export async function* paginate(
  request: ArchiveRequest,
  options: PaginationOptions,
): AsyncGenerator<Page, void, undefined> {
  const { recorder, redact, shape, signals, pageSize, maxPages, maxItems = Number.POSITIVE_INFINITY } = options;
  if (maxItems === 0) return recorder.end("capped", "maxItems");
  // A lookup has one response.
  const isLookup = !isSearch(request.operation);
  const context: PaginationContext | undefined = isLookup ? undefined : { rows: maxPages === 1 ? 0 : maxItems };
  const call = new CallSignal(signals);
  const fetch = pageFetcher(request, options, context, call.signal);
  const isChosen = pageSize.chosen !== undefined || new Map(request.query).has("limit");
  const seen = new SeenRows();
  const progress = new Progress();
  let cursor = new Map(request.query).get("cursor");
  const followed = new Set(cursor === undefined ? [] : [cursor]);
  let before: { readonly limit: number | undefined; readonly rows: number } | undefined;
  let next: Promise<FetchedPage> | undefined;
  try {
    for (;;) {
      const fetched = await (next ?? fetch(before === undefined ? undefined : cursor));
      next = undefined;
      recorder.addResponse(fetched.response);
      const page = openPage(fetched.response, fetched.request, shape(), redact);
      const { rows } = page.tape;
      const distinct = seen.withoutDuplicates(page, recorder);
      const movement = progress.observe(page, distinct.tape.rows);
      const isUnknown = rows > 0 && page.unknownCursor !== undefined;
      const isFollowed = page.cursor === undefined || followed.has(page.cursor);
      const isEnd = !isUnknown && (rows === 0 || isLookup || isFollowed || movement === "end");
      if (movement === "repeats" && !isEnd) {
        // Pages that repeat earlier ones add nothing, and may differ next time.
        recorder.pages -= progress.repeated - 1;
        recorder.cursor = undefined;
        throw endlessError(request, "CURSOR_CIRCLES", "the cursor repeats earlier pages", recorder);
      }
      recorder.pageCursors.push(cursor);
      recorder.pages++;
      recorder.duplicates += rows - distinct.tape.rows;
      const accepted = Math.min(distinct.tape.rows, maxItems - recorder.rows);
      recorder.rows += accepted;
      const isCut = accepted < distinct.tape.rows;
      // After a cut page the search continues from that page, for the rest of its rows.
      if (!isCut) recorder.cursor = isEnd ? undefined : page.cursor;
      if (isCut || (!isEnd && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
      else if (isEnd) recorder.end("complete");
      else if (recorder.pages === maxPages) recorder.end("capped", "one page");
      else recorder.end("stopped", "not finished");
      if (before !== undefined && rows > 0) pageSize.observe(before.limit, before.rows, isChosen);
      else if (maxPages === 1 && isChosen && !isEnd) pageSize.warnOfFewer(fetched.limit, rows);
      before = { limit: fetched.limit, rows };
      cursor = page.cursor;
      if (cursor !== undefined) followed.add(cursor);
      const isDone = recorder.verdict !== "stopped";
      if (!isDone && !isUnknown && options.ahead?.(distinct)) {
        next = fetch(cursor);
        // It may never be awaited.
        next.catch(() => undefined);
      }
      yield isCut ? selectRows(distinct, [...Array(accepted).keys()]) : distinct;
      if (isDone) return;
      if (isUnknown) {
        const problem = `the response has a cursor in an unknown form: its member ${quoted(page.unknownCursor)}`;
        throw endlessError(request, "UNKNOWN_CURSOR", problem, recorder);
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) {
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
    recorder.end("capped", "maxRequests");
    // Nothing to return: the failure that would have been retried says why.
    if (recorder.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  } finally {
    call.release();
    call.abort();
    await Promise.allSettled([next]);
    const { verdict, reason, rows } = recorder;
    const hasFailed = verdict === "stopped" && reason !== "not finished";
    if (!hasFailed) context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
  }
}

interface FetchedPage {
  readonly request: ArchiveRequest;
  readonly response: ServiceResponse;
  /** The rows that it was asked for; undefined if that was left to the service. */
  readonly limit: number | undefined;
}

/**
 * Returns a function that requests the first page, or the one at a cursor. If the service refuses the first page at our size, it requests it
 * without a size.
 */
function pageFetcher(
  request: ArchiveRequest,
  options: PaginationOptions,
  pagination: PaginationContext | undefined,
  signal: AbortSignal,
): (cursor: string | undefined) => Promise<FetchedPage> {
  const { requester, recorder, pageSize, budget, maxPages, maxItems = Number.POSITIVE_INFINITY } = options;
  const query = new Map(request.query);
  const isSized = takes(request.operation, "limit") && !query.has("limit") && maxPages === undefined;
  const context = { ...recorder.context, pagination, budget, signal };
  const send = async (unsized: ArchiveRequest, size?: number, isProbe = false): Promise<FetchedPage> => {
    const sent = size === undefined ? unsized : withParameter(unsized, "limit", String(size));
    const limit = size ?? (query.has("limit") ? Number(query.get("limit")) : undefined);
    return { request: sent, limit, response: await requester.request(sent.path, sent.query, { ...context, isProbe }) };
  };
  return async (cursor) => {
    const isFirst = cursor === undefined;
    // Two positions in one request would skip pages.
    const numberless = { ...request, query: request.query.filter(([name]) => name !== "page") };
    const unsized = isFirst ? request : withParameter(numberless, "cursor", cursor);
    // Where a numbered page begins depends on its size, so the user or the service chooses that.
    const isNumbered = isFirst && query.has("page");
    const rows = isSized ? (isNumbered ? pageSize.chosen : pageSize.rows) : undefined;
    if (rows === undefined) return send(unsized);
    // If rows repeat, a small page may contain nothing but duplicates.
    const isWhole = isNumbered || recorder.duplicates > 0;
    const size = isWhole ? rows : Math.min(rows, maxItems - recorder.rows);
    try {
      const page = await send(unsized, size);
      if (isFirst) pageSize.accept();
      return page;
    } catch (error) {
      if (!isFirst || !pageSize.mayBeRefused(size, error)) throw error;
      const page = await send(unsized, undefined, true).catch((second: unknown) => {
        throw isLocal(second) ? error : second;
      });
      pageSize.refuse(size, error);
      return page;
    }
  };
}

/** After this many pages in a row without a new row that end with the last new row, the pagination cannot advance. */
const MAX_REPEATED_ENDS = 3;

/** Tells rows that were added in front, which push earlier rows back, from a cursor that leads to earlier pages for ever. */
class Progress {
  /** Pages without new rows, in a row. */
  repeated = 0;
  /** The most recent of them that end with the last new row. */
  #repeatedEnds = 0;
  /** Pages with new rows. */
  #advancing = 0;
  #lastRow = 0;
  #longest = 0;

  /** @param page as sent @param newRows the rows of it that were not seen before */
  observe({ tape }: Page, newRows: number): "advances" | "end" | "repeats" {
    const { rows } = tape;
    const lastRow = rows === 0 ? -1 : tape.hashHigh(rows - 1);
    if (newRows > 0 || rows === 0) {
      this.repeated = this.#repeatedEnds = 0;
      this.#advancing++;
      this.#lastRow = lastRow;
      this.#longest = Math.max(this.#longest, rows);
      return "advances";
    }
    this.repeated++;
    this.#repeatedEnds = lastRow === this.#lastRow ? this.#repeatedEnds + 1 : 0;
    // Each row added in front pushes a row past the end. Those rows repeat, and fill less than a page.
    if (this.#repeatedEnds >= MAX_REPEATED_ENDS) return rows < this.#longest ? "end" : "repeats";
    // Rows that were pushed back lead to the first row at most, so new rows must follow within as many pages.
    return this.repeated > this.#advancing + MAX_REPEATED_ENDS ? "repeats" : "advances";
  }
}

function endlessError(
  { path }: ArchiveRequest,
  code: "CURSOR_CIRCLES" | "UNKNOWN_CURSOR",
  problem: string,
  { rows }: ProvenanceRecorder,
): APIError {
  const hint = `Further rows cannot be reached. Pass maxItems: ${rows} to accept the rows so far as the result.`;
  return new APIError(`GET ${path}: ${problem}.`, { code, hint, method: "GET", path });
}
