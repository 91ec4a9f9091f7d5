import { createHash } from "node:crypto";
import type { ClientContext } from "../../call/clientContext.js";
import { APIError } from "../../errors/index.js";
import { toFileError } from "../../fs/fileErrors.js";
import { rowsBytes } from "../../pages/rows.js";
import type { RequestBudget, ServiceResponse } from "../../service/http/requester.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { paginate } from "../../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { sha256Of } from "../../util/sha256Of.js";
import type { Window } from "../definition/windows.js";
import { Journals, type Recorded, type WindowJournal } from "./journals.js";
import { SharedShape, type WrittenRows, writeRows } from "./rowsFile.js";

/** Options of {@link fetchWindow}. */
export interface FetchOptions {
  readonly journals: Journals;
  /** A private directory for the rows of a large window. */
  readonly scratch: string;
  /** The round that asks. */
  readonly round: number;
  /** The number of the reading: 2 and more find what earlier ones have missed. */
  readonly reading: number;
  readonly recorder: ProvenanceRecorder;
  readonly budget?: RequestBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: ((page: Page) => void) | undefined;
  readonly shape?: SharedShape | undefined;
}

/** One reading of a window. */
export interface Reading {
  /** The rows: pages, or files of a large window. */
  readonly pages: readonly Page[];
  readonly files: readonly WrittenRows[];
  readonly rows: number;
  /** Of the rows, as sent. */
  readonly bytes: number;
  /** Pages with rows: with several, rows may have moved from one to another. */
  readonly pageCount: number;
  readonly requests: number;
  readonly repeatedIds: number;
  /** Times of the first and the last response: ISO 8601, UTC. */
  readonly first: string;
  readonly last: string;
  /** The ids that it has found, hashed. */
  readonly ids: string;
  /** The hash of the rows as sent. */
  readonly sha: string;
}

/** Bytes of the rows of a file: a larger window is written in parts. */
const FILE_BYTES = 1.5 * 2 ** 20;

/** Opens the journals of a run of a corpus. */
export function openJournals(client: ClientContext, work: string, round: number): Journals {
  return new Journals(work, { corpus: client.source, pageSize: client.output.pageSize.chosen ?? null, round });
}

/**
 * Fetches the rows of a window by the cursor. Every response goes into a journal first, so a window that was stopped resumes, and one that
 * was fetched as a whole is not fetched again until the journals forget it.
 *
 * @returns undefined if the request budget is used up
 * @throws ArchiveError if the service or the disk fails
 */
export async function fetchWindow(
  client: ClientContext,
  window: Window,
  options: FetchOptions,
): Promise<Reading | undefined> {
  const { recorder, budget, signal, journals } = options;
  const journal = journals.of(window.key, options.reading);
  let isChecked = true;
  try {
    isChecked = journal.isWhole || (await checkLast(client, window, journal, options));
    const reading = await read(client, window, journal, options);
    // A service that has forgotten the cursor may answer with an empty page: the next run checks that.
    if (reading === undefined || (!isChecked && isEmpty(client, window, journal.last()))) return undefined;
    journal.end();
    return reading;
  } catch (error) {
    // The budget did not allow a first request, or its retry.
    const isOut = recorder.reason === "maxRequests" || (error as { code?: string }).code === "OUT_OF_REQUESTS";
    if (isOut && budget?.isUsedUp && !signal?.aborted) return undefined;
    const failure = toFileError(error, journals.work);
    if (!isChecked && isRefusal(failure))
      failure.advise("If the service has forgotten the cursor, maxRequests: 2 starts over.");
    journal.dropFailed(failure, window.request, recorder.pages);
    throw failure;
  }
}

/**
 * Requests the last page of an earlier run again: if it has other rows now, offsets have moved, and if it is refused, the service has forgotten
 * the cursor. Then the window starts over, without the rows of before: some may be gone.
 *
 * @returns false if the only request of the run is needed to go on. Only a window that seems to be at its end waits for the check
 * @throws ArchiveError `OUT_OF_REQUESTS`
 */
async function checkLast(
  client: ClientContext,
  window: Window,
  journal: WindowJournal,
  { recorder, budget, signal }: FetchOptions,
): Promise<boolean> {
  const [last, before] = [journal.last(), journal.last(1)];
  if (last === undefined) return true;
  const isAtEnd = before !== undefined && isEmpty(client, window, last);
  const isOnlyOne = budget?.maxRequests === 1;
  if (isOnlyOne && !isAtEnd) return false;
  const known = isAtEnd ? before : last;
  const { pathname, searchParams } = new URL(known.get, "http://localhost");
  const isFirst = !searchParams.has("cursor");
  // The first page says nothing of its cursor: requested again, it has one that the service knows.
  if (isFirst && !isOnlyOne) {
    journal.cut(0);
    return true;
  }
  try {
    const context = { ...recorder.context, budget, signal, pagination: { rows: Number.POSITIVE_INFINITY } };
    const response = await client.requester.request(pathname, [...searchParams], context);
    const [then, now] = [known.response, response].map((one) => {
      const { tape, cursor } = pageOf(client, window, one);
      return [...tape.ids(), isFirst && cursor].join();
    });
    if (then !== now) journal.cut(0);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    journal.cut(0);
  }
  return true;
}

function pageOf({ redact }: ClientContext, { request }: Window, response: ServiceResponse): Page {
  return openPage(response, request, new SharedShape().current, redact);
}

function isEmpty(client: ClientContext, window: Window, last: Recorded | undefined): boolean {
  return last !== undefined && pageOf(client, window, last.response).tape.rows === 0;
}

/** @returns undefined if the request budget is used up */
async function read(
  client: ClientContext,
  window: Window,
  journal: WindowJournal,
  options: FetchOptions,
): Promise<Reading | undefined> {
  const { scratch, recorder, budget, signal, onPage, shape = new SharedShape() } = options;
  const { pageSize } = client.output;
  const pagination = paginate(window.request, {
    requester: journal.recording(client.requester),
    recorder,
    redact: client.redact,
    shape: () => shape.current,
    maxItems: undefined,
    maxPages: undefined,
    pageSize,
    budget,
    ahead: () => true,
    signals: [signal],
  });
  const hash = createHash("sha256");
  const files: WrittenRows[] = [];
  const ids: number[] = [];
  let pages: Page[] = [];
  let [bytes, written, pageCount] = [0, 0, 0];
  for await (const page of pagination) {
    const count = page.tape.rows;
    onPage?.(page);
    if (count === 0) continue;
    const sent = rowsBytes(page);
    hash.update(sent);
    bytes += sent.length;
    for (const id of page.tape.ids()) ids.push(id);
    pages.push(page);
    if (bytes - written >= FILE_BYTES) {
      files.push(writeRows(scratch, [pages], shape));
      [pages, written] = [[], bytes];
    }
    pageCount++;
  }
  if (recorder.verdict !== "complete") return undefined;
  const { firstResponseAt, lastResponseAt, rows: total, conflicts } = recorder.provenance();
  return {
    ...{ pages, files, rows: total, bytes, pageCount },
    requests: recorder.pages,
    repeatedIds: conflicts,
    first: firstResponseAt as string,
    last: lastResponseAt as string,
    ids: pageCount > 1 ? sha256Of(new Uint8Array(Float64Array.from(ids).sort().buffer)) : "",
    sha: hash.digest("hex"),
  };
}

/** Whether the service does not accept a cursor, or fails on it. */
function isRefusal(error: unknown): boolean {
  const { statusCode = 0 } = error instanceof APIError ? error : {};
  return [400, 404, 410, 422].includes(statusCode) || statusCode >= 500;
}
