import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredShape, rowsBytes } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { type PaginationOptions, paginate } from "../../service/paging/pagination.js";

/** A window that was read to its end. */
export interface Reading {
  /** Pages with rows. If there are several, a row may have moved from one to another meanwhile. */
  readonly pages: readonly Page[];
  readonly rows: number;
  /** Of the rows, as sent. */
  readonly bytes: number;
  readonly requests: number;
  /** Day of the last response, yyyy-mm-dd in UTC. */
  readonly day: string;
}

const SHAPE = declaredShape(operations.mentions.columns);

/**
 * Reads a window to its end.
 *
 * @returns undefined if the request budget is used up
 * @throws ArchiveError `OUT_OF_REQUESTS` if the window needs more than the whole budget, noticed when it has used half of it
 */
export async function fetchWindow(
  request: ArchiveRequest,
  options: Omit<PaginationOptions, "shape" | "ahead">,
  onPage: () => void,
): Promise<Reading | undefined> {
  const { recorder, budget } = options;
  const pages: Page[] = [];
  for await (const page of paginate(request, { ...options, shape: () => SHAPE, ahead: () => true })) {
    onPage();
    if (page.tape.rows > 0) pages.push(page);
    const isHalf = budget !== undefined && pages.length > 2 && pages.length === Math.ceil(budget.maxRequests / 2);
    if (isHalf && (await hasPage(request, options, budget.maxRequests, pages))) throw tooLarge(budget.maxRequests);
  }
  if (recorder.verdict !== "complete") return undefined;
  const { lastResponseAt, rows, pages: requests } = recorder.provenance();
  const bytes = pages.reduce((sum, page) => sum + rowsBytes(page).length, 0);
  return { pages, rows, bytes, requests, day: String(lastResponseAt).slice(0, 10) };
}

/** Whether a search has a page of this number. A service that ignores numbers sends the first one. */
async function hasPage(
  request: ArchiveRequest,
  { requester, recorder, budget, signals, redact }: Omit<PaginationOptions, "shape">,
  number: number,
  [first]: readonly Page[],
): Promise<boolean> {
  const query = [...request.query, ["limit", String(first?.tape.rows)], ["page", String(number)]] as const;
  try {
    const context = { ...recorder.context, budget, signal: signals[0] };
    const { tape } = openPage(await requester.request(request.path, query, context), request, SHAPE, redact);
    return tape.rows > 0 && tape.ids()[0] !== first?.tape.ids()[0];
  } catch (error) {
    if (error instanceof APIError || (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) return false;
    throw error;
  }
}

/** The error for windows that no run with this budget can read to their end. */
export function tooLarge(maxRequests: number): ArchiveError {
  return new ArchiveError(`maxRequests: ${maxRequests} is not enough to read a window of this search to its end.`, {
    code: "OUT_OF_REQUESTS",
    hint: 'Give shorter windows, for example window: "month" of openCorpus, or a larger maxRequests.',
  });
}
