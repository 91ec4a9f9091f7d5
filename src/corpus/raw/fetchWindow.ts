import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientContext } from "../../call/clientContext.js";
import { FrameBuilder, UnusablePageError } from "../../frames/frameBuilder.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toFileError } from "../../fs/toFileError.js";
import { Journal, withJournal } from "../../responses/journal.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { operations } from "../../service/operations/operations.js";
import { openPage, type Page } from "../../service/paging/page.js";
import { paginate } from "../../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import type { Window } from "../definition/windows.js";
import { dtypeName, storable, storedName } from "../tables/tableColumns.js";
import { partitionExpr } from "../tables/tablePaths.js";
import type { FetchedWindow, RawFile } from "./landing.js";
import { openJournal } from "./openJournal.js";

/** What fetching a window needs besides it. */
export interface FetchOptions {
  /** A private directory for the journal, and the rows until they land. */
  readonly work: string;
  /** The refresh that asks; 0 for a build. */
  readonly round: number;
  /** Gives what counts the requests of a reading. */
  readonly recorder: () => ProvenanceRecorder;
  readonly budget?: RequestBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: (() => void) | undefined;
  /** A second request confirms the end. Default true. */
  readonly confirmEnd?: boolean | undefined;
  /** What the windows of a run have shown of the ends of pages. Default: nothing. */
  readonly ends?: PageEnds | undefined;
  /** Read the pages of a window again until two readings agree. Default false. */
  readonly recheck?: boolean | undefined;
}

/** Rows of a file: what polars and a month of a large search take at once. */
const FILE_ROWS = 25_000;
/** Readings of a window that never agree. */
const MAX_READINGS = 5;
const UNSTABLE = "not shown to be stable";

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

/**
 * Fetches the rows of a window by the cursor. Every response goes into a journal first, so a window that was stopped resumes.
 *
 * @returns undefined if the request budget is used up; the journal stays
 * @throws ArchiveError if the service or the disk fails; the journal stays
 */
export async function fetchWindow(
  client: ClientContext,
  window: Window,
  options: FetchOptions,
): Promise<FetchedWindow | undefined> {
  const path = join(options.work, journalName(window));
  const { budget, signal } = options;
  let recorder = options.recorder();
  let journal: Journal | undefined;
  try {
    journal = await resumedJournal(client, window, path, recorder, options);
    let last = journal && (await read(client, window, journal, recorder, options));
    for (let reading = 2; last?.reason?.includes(UNSTABLE) && options.recheck; reading++) {
      const { requests, first, files } = last;
      recorder = options.recorder();
      const again = await read(client, window, undefined, recorder, options);
      if (again === undefined) return undefined;
      const isSame = JSON.stringify(again.files) === JSON.stringify(files);
      const reason = again.reason?.replace(UNSTABLE, "").replace(/^, /, "") || null;
      last = { ...again, requests: requests + again.requests, first, ...(isSame && { reason }) };
      if (reading === MAX_READINGS) break;
    }
    return last && landed(window, options.round, last);
  } catch (error) {
    const cause = error instanceof UnusablePageError ? error.cause : error;
    // Nothing is left for a first request, or for its retry.
    const isOut = recorder.reason === "maxRequests" || (cause as { code?: string }).code === "OUT_OF_REQUESTS";
    if (isOut && budget?.isUsedUp && !signal?.aborted) return undefined;
    const failure = toFileError(cause, path);
    journal?.dropFailed(failure, window.request, recorder.pages);
    throw failure;
  } finally {
    journal?.close();
    if (journal?.pages === 0) rmSync(path, { force: true });
  }
}

/** The name of the journal of a window. */
export function journalName({ key }: Pick<Window, "key">): string {
  return `${key}.journal`;
}

function landed(
  { key, search, name, mindate, maxdate, request }: Window,
  round: number,
  { files, local, pages: _pages, ...rest }: Reading,
): FetchedWindow {
  const parameters = Object.fromEntries(request.query);
  const asked = {
    window: key,
    name,
    search: search.id,
    parameters,
    mindate: mindate ?? null,
    maxdate: maxdate ?? null,
    round,
  };
  return { landing: { version: 1, ...asked, ...rest, files }, local };
}

/**
 * Opens the journal of a window. The last page of an earlier run is requested again: if it has other rows now, offsets have moved, and
 * the window starts over.
 *
 * @throws ArchiveError `OUT_OF_REQUESTS`
 */
async function resumedJournal(
  client: ClientContext,
  { request, search }: Window,
  path: string,
  recorder: ProvenanceRecorder,
  { round, budget, signal }: FetchOptions,
): Promise<Journal> {
  const parameters = Object.fromEntries(request.query);
  const asked = {
    corpus: client.source,
    search: search.id,
    parameters,
    pageSize: client.output.pageSize.chosen,
    round,
  };
  const journal = openJournal(path, asked);
  const known = journal.last();
  if (known === undefined) return journal;
  try {
    const { pathname, searchParams } = new URL(known.get, "http://localhost");
    const context = { ...recorder.context, budget, signal, pagination: { rows: Number.POSITIVE_INFINITY } };
    const response = await client.requester.request(pathname, [...searchParams], context);
    const { shape } = new FrameBuilder(operations.mentions.columns);
    const ids = [known.response, response].map((one) => {
      const { tape } = openPage(one, request, shape, client.redact);
      return Array.from({ length: tape.rows }, (_row, at) => tape.id(at)).join();
    });
    if (ids[0] === ids[1]) return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
  journal.close();
  return new Journal(path, asked, false);
}

/** One reading of a window. */
interface Reading {
  readonly files: readonly RawFile[];
  readonly local: ReadonlyMap<string, string>;
  readonly rows: number;
  /** Pages with rows. */
  readonly pages: number;
  readonly requests: number;
  readonly withoutId: number;
  readonly repeatedIds: number;
  readonly first: string;
  readonly last: string;
  readonly reason: string | null;
}

/** @returns undefined if the request budget is used up */
async function read(
  client: ClientContext,
  window: Window,
  journal: Journal | undefined,
  recorder: ProvenanceRecorder,
  { work, budget, signal, onPage, confirmEnd = true, ends }: FetchOptions,
): Promise<Reading | undefined> {
  const { pageSize } = client.output;
  const builder = new FrameBuilder(operations.mentions.columns);
  const files = new RawFiles(work, window);
  const isEnd = (page: Page) =>
    !confirmEnd && recorder.duplicates === 0 && ends?.isEnd(page.tape.rows, pageSize.full) === true;
  const pagination = paginate(window.request, {
    requester: journal === undefined ? client.requester : journaled(client.requester, journal, work),
    recorder,
    redact: client.redact,
    shape: () => builder.shape,
    maxItems: undefined,
    maxPages: undefined,
    pageSize,
    budget,
    ahead: (page) => !isEnd(page),
    signals: [signal],
  });
  let [pages, before, isConfirmed] = [0, 0, true];
  for await (const page of pagination) {
    const rows = page.tape.rows;
    builder.add(page);
    onPage?.();
    if (builder.rows >= FILE_ROWS) files.write(builder);
    if (rows === 0) continue;
    if (before > 0) ends?.observe(before, false);
    before = rows;
    pages++;
    isConfirmed = recorder.verdict === "complete" || !isEnd(page);
    if (!isConfirmed) break;
  }
  if (isConfirmed && recorder.verdict !== "complete") return undefined;
  if (isConfirmed && recorder.duplicates === 0) ends?.observe(before, true);
  recorder.end("complete");
  files.write(builder);
  const { firstResponseAt, lastResponseAt, rows, conflicts } = recorder.provenance();
  const reasons = [...(pages > 1 ? [UNSTABLE] : []), ...(isConfirmed ? [] : ["ends not confirmed"])];
  return {
    ...files,
    rows,
    pages,
    requests: recorder.pages,
    repeatedIds: conflicts,
    first: firstResponseAt as string,
    last: lastResponseAt as string,
    reason: reasons.join(", ") || null,
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

const TIME = pl.col("begintime");
const ID = pl.col("id").cast(pl.String);
const PARTITION = "~partition";
const MONTHS = [false, true].map((isTime) => partitionExpr(isTime).alias(PARTITION)) as [pl.Expr, pl.Expr];
// One call: it takes longer than the rows of a window.
const FACTS = [
  ...[ID.nullCount().alias("none"), ID.eq(pl.lit("")).sum().alias("empty")],
  ...[TIME.min().alias("first"), TIME.max().alias("last"), TIME.nullCount().alias("undated")],
];

/** The files of a reading: rows of one month each. */
class RawFiles {
  readonly files: RawFile[] = [];
  readonly local = new Map<string, string>();
  withoutId = 0;

  readonly #work: string;
  readonly #window: Window;

  constructor(work: string, window: Window) {
    this.#work = work;
    this.#window = window;
  }

  /** Takes the rows of a builder. */
  write(builder: FrameBuilder): void {
    if (builder.rows === 0) return;
    const taken = builder.take();
    // A column without values so far has no type, and must not widen that of others.
    const empty = [...builder.flags].filter(([, flags]) => flags === 0).map(([name]) => storedName(name));
    const all = storable(taken);
    const frame = empty.length === 0 ? all : all.drop(empty as unknown as string);
    const [none, blank, ...times] = frame.select(...FACTS).row(0) as [number, number, unknown, unknown, number];
    this.withoutId += Number(none) + Number(blank);
    for (const [partition, rows] of byMonth(frame, times)) this.#writeMonth(partition, rows);
  }

  #writeMonth(partition: string, frame: PolarsFrame): void {
    const window = this.#window;
    const { columns, dtypes } = frame;
    const schema = columns.map((name, at) => [name, dtypeName(dtypes[at])] as const);
    const file = join(this.#work, `${window.key}-${this.files.length}.parquet`);
    // The chunks of a column would show in the file.
    const rows = numberedColumns(frame).rechunk();
    rows.columns = columns;
    rows.writeParquet(file, { compression: "zstd" });
    const bytes = readFileSync(file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const path = `raw/${partition}/${window.search.id}-${window.key}-${sha256.slice(0, 16)}.parquet`;
    this.local.set(path, file);
    this.files.push({ path, rows: frame.height, bytes: bytes.length, sha256, schema });
  }
}

/** @param times the first and the last `begintime`, and how many rows have none */
function byMonth(frame: PolarsFrame, [first, last, undated]: readonly unknown[]): Array<[string, PolarsFrame]> {
  if (undated === 0 && first instanceof Date && last instanceof Date && monthOf(first) === monthOf(last))
    return [[monthOf(first), frame]];
  const isTime = String(frame.dtypes[frame.columns.indexOf("begintime")]).includes("Datetime");
  const months = frame.withColumns(MONTHS[isTime ? 1 : 0]);
  return months
    .partitionBy([PARTITION], true)
    .map((rows): [string, PolarsFrame] => [rows.getColumn(PARTITION).get(0) as string, rows.drop(PARTITION)])
    .sort(([a], [b]) => byCodeUnit(a, b));
}

function monthOf(time: Date): string {
  const text = time.toISOString();
  return `year=${text.slice(0, -20)}/month=${text.slice(-19, -17)}`;
}

/**
 * Fetches windows in other processes: a fleet, whose client has it as `windows`. It has no journal here. The recorder gets the requests
 * (`context.onRequest`), rows, pages and the verdict, also of a window that is not finished; the budget gets what was sent (`take`).
 */
export interface WindowFetcher {
  /** Windows in flight. */
  readonly concurrency: number;
  readonly fetch: typeof fetchWindow;
}

/** What fetches the windows of a client: this process, or a fleet. */
export function fetcherOf(client: ClientContext): WindowFetcher {
  return (client.windows as WindowFetcher | undefined) ?? { concurrency: client.concurrency, fetch: fetchWindow };
}
