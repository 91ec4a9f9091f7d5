import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { appendColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { PaginationContext } from "../service/http/requester.js";
import { NUMBERED, type OperationName, operationNamed, operations } from "../service/operations/operations.js";
import { type ArchiveRequest, withParameter } from "../service/operations/request.js";
import { type CountedRows, countRows } from "../service/paging/countRows.js";
import { openPage, type Page, selectRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import { SeenRows } from "../service/paging/seenRows.js";
import { CallSignal } from "../util/callSignal.js";
import { groupBy } from "../util/groupBy.js";
import { seededRandom } from "../util/seededRandom.js";
import { sum } from "../util/sum.js";
import type { SampleReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { checkCall, fetchedResult } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";

const NAMES = ["signal", "unchecked", "engine", "rows", "seed", "pages"];
const DEFAULT_PAGES = 20;

interface SampleSize {
  readonly rows: number;
  readonly pages: number;
  readonly seed: number;
}

/** The pages of a sample with their drawn rows only. */
interface Sampled extends Pick<SampleReport, "of" | "verdict" | "pageRows"> {
  readonly pages: readonly Page[];
  /** Their numbers; none if rows were drawn by themselves. */
  readonly numbers: readonly number[];
}

/** Runs `archive.sample`. Its arguments are those of the public method. */
export async function sample(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> | undefined,
): Promise<FrameTypes[Engine]> {
  const name = operationNamed(operation, NUMBERED);
  const call = checkCall(name, query, options, client.output, NAMES);
  const { rows, seed, pages, cursor, page } = options ?? {};
  for (const [position, value] of Object.entries({ cursor, page }))
    if (value != null) throw invalid(position, value, "A sample is drawn from all pages. Leave it out.");
  const size: SampleSize = {
    rows: positiveInteger("rows", rows, 200),
    pages: pages == null ? DEFAULT_PAGES : positiveInteger("pages", pages, 50),
    seed: seed == null ? 1 : nonNegativeInteger("seed", seed, 1),
  };
  const combined = new CombinedRecorder(client, call.request);
  const stop = new CallSignal([call.signal, notebookHost().signal]);
  try {
    const counted = await countSearch(client, call.request, combined, stop.signal);
    const drawn = await draw(client, counted, combined, stop.signal, size);
    const report = reportOf(drawn, size.seed);
    combined.end(report.rows, [], undefined, report.rows < report.of ? "sample" : undefined);
    const frame = inEngine(frameOf(name, drawn), call.engine);
    const provenance = combined.provenance(name, Object.fromEntries(call.request.query));
    setProvenance(frame, { ...provenance, rows: report.rows, sample: report });
    client.remember(fetchedResult(combined.total, call.engine, () => frame));
    return frame;
  } catch (error) {
    stop.abort();
    combined.end(0, [], error instanceof ArchiveError ? error.code : "failed");
    throw error;
  } finally {
    stop.release();
  }
}

/** A search that was counted. A snapshot keeps its count and its pages as one retrieval. */
interface CountedSearch {
  readonly request: ArchiveRequest;
  readonly pagination: PaginationContext;
  readonly count: CountedRows;
}

async function countSearch(
  { requester, redact, output }: ClientContext,
  request: ArchiveRequest,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<CountedSearch> {
  const pagination: PaginationContext = { rows: 1 };
  const common = { requester, redact, pageSize: output.pageSize, recorder: combined.add(request), budget: undefined };
  const count = await countRows(request, { ...common, signal, onPage: () => combined.onPage(), pagination });
  if (count.rows === 0) warnOfNoRows(request);
  if (count.verdict === "at least") throw cannotSample(count.rows, count.reason);
  return { request, pagination, count };
}

async function draw(
  { requester, redact, concurrency, output }: ClientContext,
  { request, pagination, count }: CountedSearch,
  combined: CombinedRecorder,
  signal: AbortSignal,
  size: SampleSize,
): Promise<Sampled> {
  const { rows: of, pageRows, verdict } = count;
  const random = seededRandom(size.seed);
  const { shape } = new FrameBuilder(operations[request.operation].columns);
  const onPage = () => combined.onPage();
  if (of === 0) {
    pagination.onEnd?.(1);
    return { of, pages: [], numbers: [], verdict: "exact", pageRows: null };
  }
  if (pageRows === undefined) {
    // Few rows, which were counted by reading them.
    const pages: Page[] = [];
    const common = { requester, redact, pageSize: output.pageSize, recorder: combined.add(request) };
    for await (const page of paginate(request, { ...common, shape: () => shape, signals: [signal] })) {
      pages.push(page);
      onPage();
    }
    pagination.onEnd?.(1);
    return { ...fromAll(pages, size, random), verdict: "exact", pageRows: null };
  }
  const { positions, by } = drawRows({ of, pageRows }, size, random);
  const sized = withParameter(request, "limit", String(pageRows));
  const planned = [...positions].map(([number, own]) => {
    return { number, own, recorder: combined.add(withParameter(sized, "page", String(number))) };
  });
  const fetched = await pMap(
    planned,
    async ({ recorder }) => {
      const { path, query } = recorder.request;
      const response = await requester.request(path, query, { ...recorder.context, signal, pagination });
      recorder.addResponse(response);
      const page = openPage(response, recorder.request, shape, redact);
      recorder.pages++;
      onPage();
      return page;
    },
    { concurrency },
  );
  pagination.onEnd?.(1);
  const seen = new SeenRows();
  let hasMoved = verdict !== "exact";
  const pages = fetched.map((page, at) => {
    const { number, own } = planned[at] as (typeof planned)[number];
    const rows = page.tape.rows;
    const drawn = selectRows(
      page,
      own.filter((position) => position < rows),
    );
    const fresh = seen.withoutDuplicates(drawn, { conflicts: 0 });
    hasMoved ||= rows !== Math.min(pageRows, of - (number - 1) * pageRows) || fresh.tape.rows < drawn.tape.rows;
    return fresh;
  });
  return {
    of,
    verdict: hasMoved ? "estimated" : "exact",
    pageRows,
    pages,
    numbers: by === "rows" ? [] : [...positions.keys()],
  };
}

function fromAll(
  pages: readonly Page[],
  { rows }: SampleSize,
  random: () => number,
): Pick<Sampled, "of" | "pages" | "numbers"> {
  const of = sum(pages.map(({ tape }) => tape.rows));
  const drawn = drawRows({ of, pageRows: Math.max(1, of) }, { rows, pages: 1 }, random).positions.get(1) ?? [];
  let from = 0;
  const selected = pages.map((page) => {
    const own = drawn.map((at) => at - from).filter((at) => at >= 0 && at < page.tape.rows);
    from += page.tape.rows;
    return selectRows(page, own);
  });
  return { of, pages: selected, numbers: [] };
}

/** The rows with the column `page`: the page that each was drawn with, null for rows that were drawn by themselves. */
function frameOf(operation: OperationName, { pages, numbers }: Sampled): PolarsFrame {
  const builder = new FrameBuilder(operations[operation].columns);
  for (const page of pages) builder.add(page);
  const drawnWith = pages.flatMap(({ tape }, at) => new Array<number | null>(tape.rows).fill(numbers[at] ?? null));
  return appendColumns(builder.take(), pl.DataFrame([pl.Series("page", drawnWith, pl.Int64)]));
}

function reportOf({ of, pages: drawn, pageRows, verdict, numbers }: Sampled, seed: number): SampleReport {
  const rows = sum(drawn.map(({ tape }) => tape.rows));
  const pages = drawn.filter(({ tape }) => tape.rows > 0).length;
  const likely = verdict === "exact" ? "Each row of the search was equally likely" : MOVED;
  const note =
    rows === of
      ? "These are all rows of the search."
      : numbers.length === 0
        ? `${likely}.`
        : pages === rows
          ? `${likely}; each comes from a page of its own.`
          : `${likely}; about ${Math.round(rows / pages)} come from each of ${pages} pages, and rows of one page may resemble each other.`;
  return Object.freeze({ of, rows, pages, pageRows, seed, verdict, note });
}

const MOVED = "Rows moved between the pages of the search while it was read, so that some were more likely than others";

function cannotSample(rows: number, reason: string | null): ArchiveError {
  return new ArchiveError(`no sample can be drawn: at least ${rows} rows were found, but ${reason}.`, {
    code: "CANNOT_SAMPLE",
    hint: "Rows that no page number reaches would be missing. Sample shorter ranges, with mindate and maxdate, until each can be counted.",
  });
}

interface Draw {
  /** By page number (from 1): the positions on that page (from 0), ascending. */
  readonly positions: ReadonlyMap<number, readonly number[]>;
  /** "rows": every combination of rows was equally likely. "pages": every row was equally likely, but rows were drawn in clusters of one page. */
  readonly by: "rows" | "pages";
}

/**
 * Draws rows without replacement, each with probability `rows / of`. Pages are drawn systematically from a random start, with
 * probability proportional to size. The last page, which may be short, is drawn together with the one before it. If the pages
 * would cover most of the result, rows are drawn directly.
 *
 * @param search its rows, and those on every page but the last
 * @param size rows to draw, and pages to draw them from; more are used if these are too small
 * @param random like `Math.random`
 */
export function drawRows(
  { of, pageRows }: { of: number; pageRows: number },
  { rows, pages }: Omit<SampleSize, "seed">,
  random: () => number,
): Draw {
  const count = Math.min(rows, of);
  const groups = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.ceil(of / pageRows);
  const largest = of % pageRows === 0 ? pageRows : pageRows + (of % pageRows);
  if (groups * largest > of) return { positions: byPage(positionsIn(0, of, count, random), pageRows), by: "rows" };
  const extra = new Set(distinct(count % groups, groups, random));
  const start = random();
  const drawn: number[] = [];
  for (let at = 0; at < groups; at++) {
    const page = Math.min(last, Math.floor(((at + start) * of) / groups / pageRows) + 1);
    const isLarge = largest > pageRows && page >= last - 1;
    const from = ((isLarge ? last - 1 : page) - 1) * pageRows;
    const size = Math.floor(count / groups) + (extra.has(at) ? 1 : 0);
    drawn.push(...positionsIn(from, isLarge ? largest : pageRows, size, random));
  }
  return { positions: byPage(drawn, pageRows), by: "pages" };
}

/** `count` of the `size` positions starting at `from`, ascending. */
function positionsIn(from: number, size: number, count: number, random: () => number): number[] {
  return distinct(count, size, random).map((at) => from + at);
}

/** `count` distinct numbers below `size`, ascending; each set is equally likely (Floyd's algorithm). */
function distinct(count: number, size: number, random: () => number): number[] {
  const drawn = new Set<number>();
  for (let top = size - count; top < size; top++) {
    const at = Math.floor(random() * (top + 1));
    drawn.add(drawn.has(at) ? top : at);
  }
  return [...drawn].sort((a, b) => a - b);
}

/** Converts positions in the whole result to positions on each page. */
function byPage(positions: readonly number[], pageRows: number): Map<number, number[]> {
  const pages = groupBy(positions, (position) => Math.floor(position / pageRows) + 1);
  return new Map([...pages].map(([page, own]) => [page, own.map((position) => position % pageRows)]));
}
