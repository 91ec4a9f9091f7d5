import { createHash } from "node:crypto";
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
  readonly requests: number;
  /** SHA-256 of the rows, as sent; null if they are those of two readings. */
  readonly hash: string | null;
  /** Day of the last response, yyyy-mm-dd in UTC. */
  readonly day: string;
}

const SHAPE = declaredShape(operations.mentions.columns);

/** Reads a window to its end. Undefined if the request budget is used up before. */
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
  const hash = createHash("sha256");
  for (const page of pages) hash.update(rowsBytes(page));
  return { pages, rows, requests, hash: hash.digest("hex"), day: String(lastResponseAt).slice(0, 10) };
}
