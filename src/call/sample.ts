import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { appendColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { NUMBERED, type OperationName, operationNamed, operations } from "../service/operations/operations.js";
import { withParameter } from "../service/operations/request.js";
import { RowCounter } from "../service/paging/countRows.js";
import { type Page, selectRows } from "../service/paging/page.js";
import { SeenRows } from "../service/paging/seenRows.js";
import { CallSignal } from "../util/callSignal.js";
import { seededRandom } from "../util/seededRandom.js";
import { sum } from "../util/sum.js";
import type { SampleReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { distinctNumbers, drawRows, type SampleSize } from "./drawRows.js";
import { checkCall, fetchedResult } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";

const OPTIONS = ["signal", "unchecked", "engine", "rows", "seed", "pages"];
const DEFAULT_PAGES = 20;

/** The drawn rows of each page. */
interface Sampled extends Pick<SampleReport, "of" | "verdict" | "pageRows"> {
  readonly pages: readonly Page[];
  /** The numbers of the pages; none if rows were drawn by themselves. */
  readonly numbers: readonly number[];
}

/** Runs `archive.sample`. Its arguments are those of the public method. */
export async function sample(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> = {},
): Promise<FrameTypes[Engine]> {
  const name = operationNamed(operation, NUMBERED);
  const { request, engine, signal } = checkCall(name, query, options, client.output, OPTIONS);
  for (const position of ["cursor", "page"])
    if (options[position] != null)
      throw invalid(position, options[position], "A sample is drawn from all pages. Leave it out.");
  const size: SampleSize = {
    rows: positiveInteger("rows", options.rows, 200),
    pages: options.pages == null ? DEFAULT_PAGES : positiveInteger("pages", options.pages, 50),
  };
  const seed = options.seed == null ? 1 : nonNegativeInteger("seed", options.seed, 1);
  const random = seededRandom(seed);
  const combined = new CombinedRecorder(client, request);
  const stop = new CallSignal([signal, notebookHost().signal]);
  const { requester, redact, output, concurrency } = client;
  const pagesByCursor: Page[] = [];
  const counter = new RowCounter(request, {
    ...{ requester, redact, pageSize: output.pageSize, signal: stop.signal, recorder: combined.add(request) },
    onPage: (page, isByCursor) => {
      combined.onPage();
      if (isByCursor) pagesByCursor.push(page);
    },
  });
  const draw = async (): Promise<Sampled> => {
    const { rows: of, verdict, reason } = await counter.count();
    if (of === 0) warnOfNoRows(request);
    if (verdict === "at least") throw cannotSample(of, reason);
    const { pageRows } = counter;
    const positions = pageRows === undefined ? undefined : drawRows({ of, pageRows }, size, random);
    if (pageRows === undefined || positions === undefined) {
      await counter.read(Number.POSITIVE_INFINITY);
      return drawFromAll(pagesByCursor, size.rows, random);
    }
    const sized = withParameter(request, "limit", String(pageRows));
    const fetchPage = (number: number) => {
      const numbered = withParameter(sized, "page", String(number));
      return counter.open(numbered, combined.add(numbered));
    };
    const pages = await pMap(positions.keys(), fetchPage, { concurrency });
    return selectDrawn(pages, positions, { of, pageRows, verdict });
  };
  try {
    const sampled = await draw();
    const report = reportOf(sampled, seed);
    combined.end(report.rows, [], undefined, report.rows < report.of ? "sample" : undefined);
    const frame = inEngine(frameOf(name, sampled), engine);
    const provenance = combined.provenance(name, Object.fromEntries(request.query));
    setProvenance(frame, { ...provenance, rows: report.rows, sample: report });
    client.remember(fetchedResult(combined.total, engine, () => frame));
    return frame;
  } catch (error) {
    stop.abort();
    combined.end(0, [], error instanceof ArchiveError ? error.code : "failed");
    throw error;
  } finally {
    await counter.close();
    stop.release();
  }
}

/** Draws from all rows of a search. */
function drawFromAll(pages: readonly Page[], rows: number, random: () => number): Sampled {
  const of = sum(pages.map(({ tape }) => tape.rows));
  const drawn = distinctNumbers(Math.min(rows, of), of, random);
  let from = 0;
  const selected = pages.map((page) => {
    const positions = drawn.map((at) => at - from).filter((at) => at >= 0 && at < page.tape.rows);
    from += page.tape.rows;
    return selectRows(page, positions);
  });
  return { of, pages: selected, numbers: [], verdict: "exact", pageRows: null };
}

/** Selects the drawn positions of pages, which may have moved since the count. */
function selectDrawn(
  fetched: readonly Page[],
  positions: ReadonlyMap<number, readonly number[]>,
  { of, pageRows, verdict }: Pick<Sampled, "of" | "verdict"> & { readonly pageRows: number },
): Sampled {
  const seen = new SeenRows();
  const numbers = [...positions.keys()];
  let hasMoved = verdict !== "exact";
  const pages = [...positions].map(([number, drawn], at) => {
    const page = fetched[at] as Page;
    const { rows } = page.tape;
    const left = drawn.filter((position) => position < rows);
    const distinct = seen.withoutDuplicates(selectRows(page, left), { conflicts: 0 });
    hasMoved ||= rows !== Math.min(pageRows, of - (number - 1) * pageRows) || distinct.tape.rows < left.length;
    return distinct;
  });
  return { of, verdict: hasMoved ? "estimated" : "exact", pageRows, pages, numbers };
}

/** The rows with the column `page`: the page that each was drawn with, null for rows that were drawn by themselves. */
function frameOf(operation: OperationName, { pages, numbers }: Sampled): PolarsFrame {
  const builder = new FrameBuilder(operations[operation].columns);
  for (const page of pages) builder.add(page);
  const pageOfRow = pages.flatMap(({ tape }, at) => new Array<number | null>(tape.rows).fill(numbers[at] ?? null));
  return appendColumns(builder.take(), pl.DataFrame([pl.Series("page", pageOfRow, pl.Int64)]));
}

function reportOf({ of, pages: drawn, pageRows, verdict, numbers }: Sampled, seed: number): SampleReport {
  const rows = sum(drawn.map(({ tape }) => tape.rows));
  const pages = drawn.filter(({ tape }) => tape.rows > 0).length;
  let note = verdict === "exact" ? "Each row of the search was equally likely" : MOVED;
  if (rows === of) note = "These are all rows of the search";
  else if (numbers.length > 0)
    note +=
      pages === rows
        ? "; each comes from a page of its own"
        : `; about ${Math.round(rows / pages)} come from each of ${pages} pages, and rows of one page may resemble each other`;
  return Object.freeze({ of, rows, pages, pageRows, seed, verdict, note: `${note}.` });
}

const MOVED = "Rows moved between the pages of the search while it was read, so that some were more likely than others";

function cannotSample(rows: number, reason: string | null): ArchiveError {
  return new ArchiveError(`no sample can be drawn: at least ${rows} rows were found, but ${reason}.`, {
    code: "CANNOT_SAMPLE",
    hint: "Rows that no page number reaches would be missing. Sample shorter ranges, with mindate and maxdate, until each can be counted.",
  });
}
