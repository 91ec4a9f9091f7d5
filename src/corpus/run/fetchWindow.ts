import { ArchiveError } from "../../errors/index.js";
import { declaredShape, rowsBytes } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import type { Page } from "../../service/paging/page.js";
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
 */
export async function fetchWindow(
  request: ArchiveRequest,
  options: Omit<PaginationOptions, "shape" | "ahead">,
  onPage: () => void,
): Promise<Reading | undefined> {
  const { recorder } = options;
  const pages: Page[] = [];
  for await (const page of paginate(request, { ...options, shape: () => SHAPE, ahead: () => true })) {
    onPage();
    if (page.tape.rows > 0) pages.push(page);
  }
  if (recorder.verdict !== "complete") return undefined;
  const { lastResponseAt, rows, pages: requests } = recorder.provenance();
  const bytes = pages.reduce((sum, page) => sum + rowsBytes(page).length, 0);
  return { pages, rows, bytes, requests, day: String(lastResponseAt).slice(0, 10) };
}

/** The error for windows that no run with this budget can read to their end. */
export function tooLarge(maxRequests: number): ArchiveError {
  return new ArchiveError(`maxRequests: ${maxRequests} is not enough to read a window of this search to its end.`, {
    code: "OUT_OF_REQUESTS",
    hint: 'Give shorter windows, for example window: "month" of openCorpus, or a larger maxRequests.',
  });
}
