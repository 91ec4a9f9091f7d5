import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, oneOf, positiveInteger } from "../errors/validators.js";
import { type Allocation, allocate } from "../frames/allocate.js";
import { type DrawnRow, designColumns } from "../frames/designOf.js";
import { type Engine, type FrameTypes, inEngine, withColumns } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { Design } from "../frames/lineage/design.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { resultFrame } from "../frames/resultFrame.js";
import type { PaginationContext } from "../service/http/requester.js";
import { NUMBERED, type OperationName, operationNamed, operations } from "../service/operations/operations.js";
import { type ArchiveRequest, withParameter } from "../service/operations/request.js";
import { type CountedRows, countRows } from "../service/paging/countRows.js";
import { openPage, type Page, selectRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import { SeenRows } from "../service/paging/seenRows.js";
import { CallSignal } from "../util/callSignal.js";
import { groupBy } from "../util/groupBy.js";
import { PERIODS } from "../util/period.js";
import { seededRandom } from "../util/seededRandom.js";
import { sum } from "../util/sum.js";
import type { SampleReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { checkCall, fetchedResult } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";
import { requestsByPeriod } from "./requestsByPeriod.js";

const NAMES = ["signal", "unchecked", "engine", "rows", "seed", "pages", "strata", "allocation"];
const DEFAULT_PAGES = 20;

interface SampleSize {
  readonly rows: number;
  readonly pages: number;
  readonly seed: number;
}

/** The pages of a sample with their drawn rows only. */
interface Sampled extends Pick<SampleReport, "of" | "verdict" | "pageRows"> {
  readonly pages: readonly Page[];
  /** Their numbers, where rows come in groups of a page. */
  readonly numbers: readonly number[];
  readonly by: Draw["by"];
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
  const { rows, seed, pages, cursor, page, strata, allocation, unchecked } = options ?? {};
  for (const [position, value] of Object.entries({ cursor, page }))
    if (value != null) throw invalid(position, value, "A sample is drawn from all pages. Leave it out.");
  if (strata == null && allocation != null)
    throw invalid("allocation", allocation, 'It needs strata, for example strata: "year".');
  const size: SampleSize = {
    rows: typeof allocation === "object" && allocation !== null ? 0 : positiveInteger("rows", rows, 200),
    pages: pages == null ? DEFAULT_PAGES : positiveInteger("pages", pages, 50),
    seed: seed == null ? 1 : nonNegativeInteger("seed", seed, 1),
  };
  const parts =
    strata == null
      ? [{ name: "all", request: call.request }]
      : requestsByPeriod(oneOf("strata", strata, PERIODS), "strata", call.request, unchecked);
  const combined = new CombinedRecorder(client, call.request);
  const stop = new CallSignal([call.signal, notebookHost().signal]);
  try {
    const count = (part: (typeof parts)[number]) => countPart(client, part.request, combined, stop.signal);
    const counted = await pMap(parts, count, { concurrency: client.concurrency });
    const of = new Map(parts.map((part, at) => [part.name, (counted[at] as CountedPart).count.rows]));
    const shares =
      strata == null ? [] : allocate(of, size.rows, allocation as Allocation | undefined, seededRandom(size.seed));
    const wanted = sum(shares.map(({ count }) => count));
    const draw = (part: CountedPart, at: number) => {
      const rows = shares[at]?.count ?? size.rows;
      const share = strata == null ? 1 : rows / Math.max(1, wanted);
      const own = { rows, pages: Math.max(1, Math.round(size.pages * share)) };
      // With one stratum, a seed draws what it always has.
      return drawPart(client, part, combined, stop.signal, own, seededRandom(size.seed + at * 1_000_003));
    };
    const drawn = await pMap(counted, draw, { concurrency: strata == null ? 1 : 2 });
    const report = reportOf(drawn, size.seed);
    combined.end(report.rows, [], undefined, report.rows < report.of ? "sample" : undefined);
    const all = frameOf(
      name,
      drawn.flatMap((part) => part.pages),
    );
    const strataOf = parts.map((part, at) => shares[at]?.stratum.name ?? String(part.name));
    const { design, columns } = designOfParts(drawn, strataOf);
    const frame = inEngine(withColumns(all, columns), call.engine);
    const provenance = combined.provenance(name, Object.fromEntries(call.request.query));
    setProvenance(frame, { ...provenance, rows: report.rows, sample: report, design });
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
interface CountedPart {
  readonly request: ArchiveRequest;
  readonly pagination: PaginationContext;
  readonly count: CountedRows;
}

async function countPart(
  { requester, redact, output }: ClientContext,
  request: ArchiveRequest,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<CountedPart> {
  const pagination: PaginationContext = { rows: 1 };
  const common = { requester, redact, pageSize: output.pageSize, recorder: combined.add(request), budget: undefined };
  const count = await countRows(request, { ...common, signal, onPage: () => combined.onPage(), pagination });
  if (count.rows === 0) warnOfNoRows(request);
  if (count.verdict === "at least") throw cannotSample(count.rows, count.reason);
  return { request, pagination, count };
}

async function drawPart(
  { requester, redact, concurrency, output }: ClientContext,
  { request, pagination, count }: CountedPart,
  combined: CombinedRecorder,
  signal: AbortSignal,
  size: Omit<SampleSize, "seed">,
  random: () => number,
): Promise<Sampled> {
  const { rows: of, pageRows, verdict } = count;
  const { shape } = new FrameBuilder(operations[request.operation].columns);
  const onPage = () => combined.onPage();
  if (size.rows === 0 || of === 0) {
    pagination.onEnd?.(1);
    return { of, pages: [], numbers: [], by: "rows", verdict: "exact", pageRows: null };
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
  return { of, verdict: hasMoved ? "estimated" : "exact", pageRows, pages, numbers: [...positions.keys()], by };
}

function fromAll(
  pages: readonly Page[],
  { rows }: Pick<SampleSize, "rows">,
  random: () => number,
): Pick<Sampled, "of" | "pages" | "numbers" | "by"> {
  const of = sum(pages.map(({ tape }) => tape.rows));
  const drawn = drawRows({ of, pageRows: Math.max(1, of) }, { rows, pages: 1 }, random).positions.get(1) ?? [];
  let from = 0;
  const selected = pages.map((page) => {
    const own = drawn.map((at) => at - from).filter((at) => at >= 0 && at < page.tape.rows);
    from += page.tape.rows;
    return selectRows(page, own);
  });
  return { of, pages: selected, numbers: [], by: "rows" };
}

function frameOf(operation: OperationName, pages: readonly Page[]): PolarsFrame {
  const builder = new FrameBuilder(operations[operation].columns);
  for (const page of pages) builder.add(page);
  return builder.take();
}

function reportOf(parts: readonly Sampled[], seed: number): SampleReport {
  const of = sum(parts.map((part) => part.of));
  const rows = sum(parts.map(rowsOf));
  const pages = sum(parts.map((part) => part.pages.filter(({ tape }) => tape.rows > 0).length));
  const [{ pageRows }] = parts as [Sampled];
  const isExact = parts.every(({ verdict }) => verdict === "exact");
  const likely = !isExact ? MOVED : parts.length > 1 ? WITHIN_STRATA : "Each row of the search was equally likely";
  const note =
    rows === of
      ? "These are all rows of the search."
      : parts.every((part) => part.by === "rows")
        ? `${likely}.`
        : pages === rows
          ? `${likely}; each comes from a page of its own.`
          : `${likely}; about ${Math.round(rows / pages)} come from each of ${pages} pages, and rows of one page may resemble each other.`;
  const verdict = isExact ? "exact" : "estimated";
  return Object.freeze({ of, rows, pages, pageRows: parts.length === 1 ? pageRows : null, seed, verdict, note });
}

function rowsOf({ pages }: Sampled): number {
  return sum(pages.map(({ tape }) => tape.rows));
}

/** The columns that say how each row was drawn, and what all were drawn from. */
function designOfParts(drawn: readonly Sampled[], names: readonly string[]): { design: Design; columns: PolarsFrame } {
  const strata = [...groupBy(drawn.keys(), (at) => names[at] as string)].map(([name, own]) => {
    const parts = own.map((at) => drawn[at] as Sampled);
    return { name, of: sum(parts.map((part) => part.of)), drawn: sum(parts.map(rowsOf)) };
  });
  const byName = new Map(strata.map((stratum) => [stratum.name, stratum]));
  const rows = drawn.flatMap((part, at) => {
    const { name, of, drawn } = byName.get(names[at] as string) as (typeof strata)[number];
    return part.pages.flatMap(({ tape }, nth): DrawnRow[] => {
      // Pages of strata that were joined have numbers of their own.
      const page = part.by === "rows" ? null : at * 1_000_000 + (part.numbers[nth] as number);
      return Array.from({ length: tape.rows }, () => ({ stratum: name, probability: drawn / of, drawn, page }));
    });
  });
  const unit = drawn.some(({ by }) => by === "pages") ? "page" : "row";
  return { design: { phases: [{ unit, strata }] }, columns: resultFrame(designColumns(rows, true)) };
}

const WITHIN_STRATA = "Each row of a stratum was equally likely, as the column probability says";
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
