import { APIError, ArchiveError } from "../../errors/index.js";
import type { RowSchema } from "../../pages/rows.js";
import { CallSignal } from "../../util/callSignal.js";
import { quoted } from "../../util/text.js";
import type { PaginationContext, RequestBudget, Requester, ServiceResponse } from "../http/requester.js";
import { isSearch, takes } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import { openPage, type Page, type PageSize, type Redact, selectRows, warnOfFewer } from "./page.js";
import { NOT_FINISHED, type ProvenanceRecorder } from "./provenanceRecorder.js";
import { SeenRows } from "./seenRows.js";

export interface PaginationOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Returns the schema to check the rows of the next page against. */
  readonly schema: () => RowSchema;
  /** Stop after this many rows, and after this many pages. Default: all. */
  readonly maxItems?: number | undefined;
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
export async function* paginate(request: ArchiveRequest, options: PaginationOptions): AsyncGenerator<Page, void> {
  const { recorder, redact, schema, signals, maxPages, maxItems = Number.POSITIVE_INFINITY } = options;
  if (maxItems === 0) return recorder.end("capped", "maxItems");
  const isLookup = !isSearch(request.operation);
  const context: PaginationContext | undefined = isLookup ? undefined : { rows: maxPages === 1 ? 0 : maxItems };
  const call = new CallSignal(signals);
  const fetch = pageFetcher(request, options, context, call.signal);
  const seen = new SeenRows();
  const query = new Map(request.query);
  const limit = Number(query.get("limit") ?? 0);
  const follow = followCursors(query.get("cursor"));
  let next: Promise<ServiceResponse> | undefined;
  try {
    for (let cursor: string | undefined; ; ) {
      const response = await (next ?? fetch(cursor));
      next = undefined;
      recorder.addResponse(response);
      const page = openPage(response, request, schema(), redact);
      const distinct = seen.withoutDuplicates(page, recorder);
      const [rows, newRows] = [page.records.rows, distinct.records.rows];
      const continuation = isLookup ? "none" : follow(page, newRows);
      if (continuation === "circle") {
        recorder.cursor = undefined;
        throw unreachableRowsError(request, "CURSOR_CIRCLES", "the cursor repeats earlier pages", recorder);
      }
      const accepted = Math.min(newRows, maxItems - recorder.rows);
      recorder.pages++;
      recorder.rows += accepted;
      recorder.duplicates += rows - newRows;
      const isEnd = continuation === "none";
      const isTruncated = accepted < newRows;
      // After a truncated page the search continues from that page, for its remaining rows.
      if (!isTruncated) recorder.cursor = isEnd ? undefined : page.cursor;
      if (isTruncated || (!isEnd && recorder.rows === maxItems)) recorder.end("capped", "maxItems");
      else if (isEnd) recorder.end("complete");
      else if (recorder.pages === maxPages) recorder.end("capped", "one page");
      else recorder.end("stopped", NOT_FINISHED);
      if (maxPages === 1 && !isEnd && rows < limit) warnOfFewer(limit, rows);
      const isDone = recorder.verdict !== "stopped";
      cursor = page.cursor;
      if (!isDone && continuation === "cursor" && options.ahead?.(distinct)) {
        next = fetch(cursor);
        // It may be rejected before it is awaited.
        next.catch(() => undefined);
      }
      yield isTruncated ? selectRows(distinct, [...Array(accepted).keys()]) : distinct;
      if (isDone) return;
      if (continuation === "unknown") {
        const problem = `the response has a cursor in an unknown form: its member ${quoted(page.unknownCursor ?? "")}`;
        throw unreachableRowsError(request, "UNKNOWN_CURSOR", problem, recorder);
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) {
      recorder.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
    recorder.end("capped", "maxRequests");
    // Without a page to return, throw the failure that would have been retried.
    if (recorder.pages === 0) throw error.cause instanceof ArchiveError ? error.cause : error;
  } finally {
    call.release();
    if (next !== undefined) call.abort();
    await Promise.allSettled([next]);
    const { verdict, reason, rows } = recorder;
    if (verdict !== "stopped" || reason === NOT_FINISHED)
      context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
  }
}

/** Returns a function that takes a page and the number of its new rows, and says how the pagination continues after it. */
function followCursors(start: string | undefined) {
  // A page without a cursor is the last one.
  const followed = new Set([undefined, start]);
  /** Pages with new rows, and pages in a row without. */
  let [newPages, repeatedPages] = [0, 0];
  return ({ records, cursor, unknownCursor }: Page, newRows: number): "cursor" | "none" | "unknown" | "circle" => {
    [newPages, repeatedPages] = newRows > 0 ? [newPages + 1, 0] : [newPages, repeatedPages + 1];
    const isUnknown = records.rows > 0 && unknownCursor !== undefined;
    if (!isUnknown && (records.rows === 0 || followed.has(cursor))) return "none";
    followed.add(cursor);
    // Rows inserted in front push earlier rows back, at most to the first one: new rows must follow within as many pages, plus three.
    if (repeatedPages > newPages + 3) return "circle";
    return isUnknown ? "unknown" : "cursor";
  };
}

/** Returns a function that requests the first page, or the one at a cursor. A first page whose size is refused is requested without one. */
function pageFetcher(
  request: ArchiveRequest,
  { requester, recorder, pageSize, budget, maxPages, maxItems = Number.POSITIVE_INFINITY }: PaginationOptions,
  pagination: PaginationContext | undefined,
  signal: AbortSignal,
): (cursor: string | undefined) => Promise<ServiceResponse> {
  const query = new Map(request.query);
  const isSized = takes(request.operation, "limit") && !query.has("limit") && maxPages === undefined;
  const context = { ...recorder.context, pagination, budget, signal };
  const send = (page: ArchiveRequest) => requester.request(page.path, page.query, context);
  return async (cursor) => {
    const isFirst = cursor === undefined;
    // Two positions in one request would skip pages.
    const withoutNumber = { ...request, query: request.query.filter(([name]) => name !== "page") };
    const unsized = isFirst ? request : withParameter(withoutNumber, "cursor", cursor);
    // Where a numbered page begins depends on its size, so the user or the service chooses that.
    const isNumbered = isFirst && query.has("page");
    const rows = isNumbered ? pageSize.userRows : pageSize.rows;
    if (!isSized || rows === undefined) return send(unsized);
    // If rows repeat, a small page may contain nothing but duplicates.
    const isFullSize = isNumbered || recorder.duplicates > 0;
    const size = isFullSize ? rows : Math.min(rows, maxItems - recorder.rows);
    try {
      const response = await send(withParameter(unsized, "limit", String(size)));
      if (isFirst) pageSize.accept();
      return response;
    } catch (error) {
      if (!isFirst || !pageSize.mayBeRefused(size, error)) throw error;
      const response = await send(unsized);
      pageSize.refuse(size, error);
      return response;
    }
  };
}

function unreachableRowsError(
  { path }: ArchiveRequest,
  code: "CURSOR_CIRCLES" | "UNKNOWN_CURSOR",
  problem: string,
  { rows }: ProvenanceRecorder,
): APIError {
  const hint = `Further rows cannot be reached. Pass maxItems: ${rows} to accept the rows so far as the result.`;
  return new APIError(`GET ${path}: ${problem}.`, { code, hint, method: "GET", path });
}
