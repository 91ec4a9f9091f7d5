import { createHash } from "node:crypto";
import { ArchiveError } from "../../errors/index.js";
import { declaredSchema, rowsBytes } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import { type ArchiveRequest, withParameter } from "../../service/operations/request.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { type PaginationOptions, paginate } from "../../service/paging/pagination.js";

/** The rows of a window that was read to its end. */
export interface FetchResult {
  /** Pages with rows. A row may have moved from one to another meanwhile. */
  readonly pages: readonly Page[];
  readonly rows: number;
  readonly requests: number;
  /** SHA-256 of the rows, as sent; null if the window was fetched twice. */
  readonly hash: string | null;
  /** Day of the last response, yyyy-mm-dd in UTC. */
  readonly day: string;
}

const SCHEMA = declaredSchema(operations.mentions.columns);

type Options = Omit<PaginationOptions, "schema" | "ahead">;

/**
 * Reads a window to its end. Undefined if the request budget is used up before.
 *
 * @throws ArchiveError `OUT_OF_REQUESTS` after half of the budget, if the whole one is not enough
 */
export async function fetchWindow(
  request: ArchiveRequest,
  options: Options,
  onPage: () => void,
): Promise<FetchResult | undefined> {
  const { recorder, budget } = options;
  const pages: Page[] = [];
  for await (const page of paginate(request, { ...options, schema: () => SCHEMA, ahead: () => true })) {
    onPage();
    if (page.records.rows > 0) pages.push(page);
    const isHalf = budget !== undefined && pages.length > 2 && pages.length === Math.ceil(budget.maxRequests / 2);
    if (isHalf && (await hasPage(request, options, budget.maxRequests, pages[0] as Page)))
      throw windowTooLarge(budget.maxRequests);
  }
  if (recorder.verdict !== "complete") return undefined;
  const { lastResponseAt, rows, pages: requests } = recorder.provenance();
  const hash = createHash("sha256");
  for (const page of pages) hash.update(rowsBytes(page));
  return { pages, rows, requests, hash: hash.digest("hex"), day: String(lastResponseAt).slice(0, 10) };
}

/** Whether a search has a page with this number, as long as the first. A service that ignores the number sends the first page. */
async function hasPage(request: ArchiveRequest, options: Options, number: number, first: Page): Promise<boolean> {
  const { requester, recorder, budget, signals, redact } = options;
  const { path, query } = withParameter(withParameter(request, "limit", `${first.records.rows}`), "page", `${number}`);
  const response = await requester
    .request(path, query, { ...recorder.context, budget, signal: signals[0] })
    .catch(() => undefined);
  const page = response && openPage(response, request, SCHEMA, redact);
  return page !== undefined && page.records.rows > 0 && page.records.ids()[0] !== first.records.ids()[0];
}

/** The error for a window that no run with this budget can read to its end. */
export function windowTooLarge(maxRequests: number): ArchiveError {
  return new ArchiveError(`maxRequests: ${maxRequests} is not enough to read a window of this search to its end.`, {
    code: "OUT_OF_REQUESTS",
    hint: 'Give shorter windows, for example window: "month" of openCorpus (--window month), or a larger maxRequests.',
  });
}
