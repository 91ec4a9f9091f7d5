import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientContext } from "../../call/clientContext.js";
import { FileError } from "../../errors/index.js";
import { toFileError } from "../../fs/toFileError.js";
import { rowsBytes } from "../../pages/rows.js";
import { Journal, withJournal } from "../../responses/journal.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { isRefusal, paginate } from "../../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Window } from "../definition/windows.js";
import { SharedShape, type WrittenRows, writeRows } from "./rowsFile.js";

/** What fetching a window needs besides it. */
export interface FetchOptions {
  /** A private directory for journals. */
  readonly work: string;
  /** A private directory for the rows of a large window. */
  readonly scratch: string;
  /** The round that asks. */
  readonly round: number;
  /** 1, or the number of a reading that is to show what another one has missed. */
  readonly reading: number;
  readonly recorder: ProvenanceRecorder;
  readonly budget?: RequestBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: ((page: Page) => void) | undefined;
  /** A second request confirms the end. Default true. */
  readonly confirmEnd?: boolean | undefined;
  /** What the windows of a run have shown of the ends of pages. Default: nothing. */
  readonly ends?: PageEnds | undefined;
  readonly shape?: SharedShape | undefined;
}

/** One reading of a window. */
export interface Reading {
  /** The rows: pages, or files of a large window. */
  readonly pages: readonly Page[];
  readonly files: readonly WrittenRows[];
  readonly rows: number;
  /** Pages with rows: with several, rows may have moved from one to another. */
  readonly pageCount: number;
  readonly requests: number;
  readonly repeatedIds: number;
  /** Times of the first and the last response: ISO 8601, UTC. */
  readonly first: string;
  readonly last: string;
  /** Whether a request has confirmed the end. */
  readonly isConfirmed: boolean;
  /** The ids that it has found, hashed. */
  readonly ids: string;
  /** The hash of the rows as sent. */
  readonly sha: string;
}

/** Rows of a file: a larger window is written in parts. */
const FILE_ROWS = 25_000;

/** Which pages can be trusted to be the last: a service may send fewer rows than were requested, so only sizes that have ended a window before. */
export class PageEnds {
  #confirmed = 0;
  #full = Number.POSITIVE_INFINITY;

  /** A page of this size was followed by another with rows, or by none. */
  observe(rows: number, isLast: boolean): void {
    if (isLast) this.#confirmed = Math.max(this.#confirmed, rows);
    else this.#full = Math.min(this.#full, rows);
  }

  isEnd(rows: number, pageSize: number): boolean {
    return rows <= this.#confirmed && rows < this.#full && rows < pageSize;
  }
}

/** Fetches windows: this process, or a fleet, whose client has it as `windows`. */
export interface WindowFetcher {
  /** Windows in flight. */
  readonly concurrency: number;
  readonly fetch: typeof fetchWindow;
}

/** What fetches the windows of a client. */
export function fetcherOf(client: ClientContext): WindowFetcher {
  return (client.windows as WindowFetcher | undefined) ?? { concurrency: client.concurrency, fetch: fetchWindow };
}

/** The name of the journal of a reading. */
export function journalName({ key }: Pick<Window, "key">, reading = 1): string {
  return `${key}-${reading}.journal`;
}

/** Removes the journals of a window. */
export function removeJournals(work: string, window: Pick<Window, "key">): void {
  for (let reading = 1; ; reading++) {
    const path = join(work, journalName(window, reading));
    const names = [path, `${path}.whole`].filter((name) => existsSync(name));
    if (names.length === 0 && reading > 1) return;
    for (const name of names) rmSync(name, { force: true });
  }
}

/**
 * Fetches the rows of a window by the cursor. Every response goes into a journal first, so a window that was stopped resumes. The journal
 * stays until {@link removeJournals}: a window that was fetched as a whole is not fetched again.
 *
 * @returns undefined if the request budget is used up
 * @throws ArchiveError if the service or the disk fails
 */
export async function fetchWindow(
  client: ClientContext,
  window: Window,
  options: FetchOptions,
): Promise<Reading | undefined> {
  const path = join(options.work, journalName(window, options.reading));
  const whole = `${path}.whole`;
  const { recorder, budget, signal } = options;
  let journal: Journal | undefined;
  try {
    const isWhole = existsSync(whole);
    journal = isWhole
      ? openJournal(whole, journalOf(client, window, options))
      : await resumedJournal(client, window, path, options);
    const reading = await read(client, window, journal, options);
    if (reading !== undefined && !isWhole) renameSync(path, whole);
    return reading;
  } catch (error) {
    // Nothing is left for a first request, or for its retry.
    const isOut = recorder.reason === "maxRequests" || (error as { code?: string }).code === "OUT_OF_REQUESTS";
    if (isOut && budget?.isUsedUp && !signal?.aborted) return undefined;
    const failure = toFileError(error, path);
    journal?.dropFailed(failure, window.request, recorder.pages);
    throw failure;
  } finally {
    journal?.close();
    if (journal?.pages === 0) rmSync(path, { force: true });
  }
}

function journalOf(client: ClientContext, { request }: Window, { round }: FetchOptions): object {
  return {
    corpus: client.source,
    parameters: Object.fromEntries(request.query),
    pageSize: client.output.pageSize.chosen,
    round,
  };
}

/** Opens a journal of exactly this request. One of another request starts over. The age does not matter: a quota may last a day. */
export function openJournal(path: string, asked: object): Journal {
  const search = asked as Readonly<Record<string, unknown>>;
  try {
    return new Journal(path, search, true);
  } catch (error) {
    if (!(error instanceof FileError && error.code === "OTHER_SEARCH")) throw error;
    return new Journal(path, search, false);
  }
}

/**
 * Opens the journal of a window that was begun. The last page of an earlier run is requested again: if it has other rows now, offsets have moved,
 * and if it is refused, the service has forgotten the cursor. Then the window starts over, without the rows of before: some may be gone.
 *
 * @throws ArchiveError `OUT_OF_REQUESTS`
 */
async function resumedJournal(
  client: ClientContext,
  window: Window,
  path: string,
  options: FetchOptions,
): Promise<Journal> {
  const asked = journalOf(client, window, options);
  const journal = openJournal(path, asked);
  const known = journal.last();
  if (known === undefined) return journal;
  const { recorder, budget, signal } = options;
  const startedOver = () => {
    journal.close();
    return new Journal(path, asked as Readonly<Record<string, unknown>>, false);
  };
  try {
    const { pathname, searchParams } = new URL(known.get, "http://localhost");
    // The first page says nothing of its cursor: requested again, it has one that the service knows.
    if (!searchParams.has("cursor")) return startedOver();
    const context = { ...recorder.context, budget, signal, pagination: { rows: Number.POSITIVE_INFINITY } };
    const response = await client.requester.request(pathname, [...searchParams], context);
    const ids = [known.response, response].map((one) => {
      const { tape } = openPage(one, window.request, new SharedShape().current, client.redact);
      return Array.from({ length: tape.rows }, (_row, at) => tape.id(at)).join();
    });
    return ids[0] === ids[1] ? journal : startedOver();
  } catch (error) {
    if (isRefusal(error)) return startedOver();
    journal.close();
    throw error;
  }
}

/** @returns undefined if the request budget is used up */
async function read(
  client: ClientContext,
  window: Window,
  journal: Journal,
  options: FetchOptions,
): Promise<Reading | undefined> {
  const {
    work,
    scratch,
    recorder,
    budget,
    signal,
    onPage,
    confirmEnd = true,
    ends,
    shape = new SharedShape(),
  } = options;
  const { pageSize } = client.output;
  const isEnd = (page: Page) =>
    !confirmEnd && recorder.duplicates === 0 && ends?.isEnd(page.tape.rows, pageSize.full) === true;
  const pagination = paginate(window.request, {
    requester: journaled(client.requester, journal, work),
    recorder,
    redact: client.redact,
    shape: () => shape.current,
    maxItems: undefined,
    maxPages: undefined,
    pageSize,
    budget,
    ahead: (page) => !isEnd(page),
    signals: [signal],
  });
  const hash = createHash("sha256");
  const files: WrittenRows[] = [];
  const ids: number[] = [];
  let [pages, rows, pageCount, before, isConfirmed]: [Page[], number, number, number, boolean] = [[], 0, 0, 0, true];
  for await (const page of pagination) {
    const count = page.tape.rows;
    onPage?.(page);
    if (count === 0) continue;
    hash.update(rowsBytes(page));
    for (let row = 0; row < count; row++) ids.push(page.tape.id(row) ?? -1);
    pages.push(page);
    rows += count;
    if (rows >= FILE_ROWS) {
      files.push(writeRows(scratch, [pages], false, shape));
      [pages, rows] = [[], 0];
    }
    if (before > 0) ends?.observe(before, false);
    before = count;
    pageCount++;
    isConfirmed = recorder.verdict === "complete" || !isEnd(page);
    if (!isConfirmed) break;
  }
  if (isConfirmed && recorder.verdict !== "complete") return undefined;
  if (isConfirmed && recorder.duplicates === 0) ends?.observe(before, true);
  recorder.end("complete");
  const { firstResponseAt, lastResponseAt, rows: total, conflicts } = recorder.provenance();
  return {
    ...{ pages, files, rows: total, pageCount, isConfirmed },
    requests: recorder.pages,
    repeatedIds: conflicts,
    first: firstResponseAt as string,
    last: lastResponseAt as string,
    ids: pageCount > 1 ? createHash("sha256").update(Float64Array.from(ids).sort()).digest("hex") : "",
    sha: hash.digest("hex"),
  };
}

/** Records responses in a journal, and uses those that are there. They are not counted: an earlier run has sent them. */
function journaled(requester: Requester, journal: Journal, work: string): Requester {
  const recording = withJournal(requester, journal, work);
  return {
    request: (path, query, context) => {
      const isKnown = journal.find(path, query) !== undefined;
      return recording.request(path, query, isKnown ? { ...context, onReplay: undefined } : context);
    },
  };
}
