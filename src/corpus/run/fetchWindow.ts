import type { ClientContext } from "../../call/clientContext.js";
import { APIError, ArchiveError } from "../../errors/index.js";
import { declaredShape, rowsBytes } from "../../pages/rows.js";
import type { RequestBudget } from "../../service/http/requester.js";
import { operations } from "../../service/operations/operations.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { paginate } from "../../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Window } from "../definition/windows.js";
import { type RowsFile, writeRows } from "./rowsFile.js";

/** A window that was read to its end. */
export interface Reading {
  /** The rows: pages, and files of earlier ones if the window is large. */
  readonly pages: readonly Page[];
  readonly files: readonly RowsFile[];
  readonly rows: number;
  /** Of the rows, as sent. */
  readonly bytes: number;
  readonly requests: number;
  /** Pages with rows: with several, a row may have moved from one to another meanwhile. */
  readonly pageCount: number;
  /** Ids that are whole numbers. */
  readonly ids: ReadonlySet<number>;
  /** Day of the last response, yyyy-mm-dd in UTC. */
  readonly day: string;
}

export interface FetchOptions {
  readonly recorder: ProvenanceRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
  /** A private directory for the rows of a large window. */
  readonly work: string;
  readonly onPage: () => void;
}

/** Bytes of the rows of a file. */
const FILE_BYTES = 2 ** 22;
const SHAPE = declaredShape(operations.mentions.columns);

/**
 * Reads a window to its end.
 *
 * @returns undefined if the request budget is used up
 * @throws ArchiveError `OUT_OF_REQUESTS` if the window needs more than the whole budget, noticed when it has used half of it
 */
export async function fetchWindow(
  client: ClientContext,
  { request }: Window,
  { recorder, budget, signal, work, onPage }: FetchOptions,
): Promise<Reading | undefined> {
  const { requester, redact, output } = client;
  const { pageSize } = output;
  const common = { requester, recorder, redact, pageSize, budget, signals: [signal] };
  const pagination = paginate(request, { ...common, shape: () => SHAPE, ahead: () => true });
  const files: RowsFile[] = [];
  const ids = new Set<number>();
  let pages: Page[] = [];
  let [bytes, written, pageCount] = [0, 0, 0];
  let first: Page | undefined;
  for await (const page of pagination) {
    onPage();
    if (page.tape.rows === 0) continue;
    first ??= page;
    pageCount++;
    for (const id of page.tape.ids()) ids.add(id);
    bytes += rowsBytes(page).length;
    pages.push(page);
    if (bytes - written >= FILE_BYTES) {
      files.push(writeRows(work, "mentions", [pages]));
      [pages, written] = [[], bytes];
    }
    const isHalf = budget !== undefined && pageCount === Math.ceil(budget.maxRequests / 2) && pageCount > 2;
    if (isHalf && (await hasPage(budget.maxRequests, first))) throw tooLarge(budget.maxRequests);
  }
  if (recorder.verdict !== "complete") return undefined;
  const { lastResponseAt, rows, pages: requests } = recorder.provenance();
  return { pages, files, rows, bytes, requests, pageCount, ids, day: String(lastResponseAt).slice(0, 10) };

  /** Whether there is a page of this number. A service that ignores numbers sends the first one. */
  async function hasPage(number: number, { tape }: Page): Promise<boolean> {
    const query = [...request.query, ["limit", String(tape.rows)], ["page", String(number)]] as const;
    try {
      const response = await requester.request(request.path, query, { ...recorder.context, budget, signal });
      const page = openPage(response, request, SHAPE, redact);
      return page.tape.rows > 0 && page.tape.ids()[0] !== tape.ids()[0];
    } catch (error) {
      if (error instanceof APIError || (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS"))
        return false;
      throw error;
    }
  }
}

/** The error for a window that no run with this budget can read to its end. */
export function tooLarge(maxRequests: number): ArchiveError {
  return new ArchiveError(`a window of this search needs more than maxRequests: ${maxRequests}.`, {
    code: "OUT_OF_REQUESTS",
    hint: 'Give shorter windows, for example window: "month" of openCorpus, or a larger maxRequests.',
  });
}
