import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { PaginationContext } from "../service/http/requester.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { operations } from "../service/operations/operations.js";
import { withParameter } from "../service/operations/request.js";
import { countRows } from "../service/paging/countRows.js";
import { openPage, type Page, selectRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import { SeenRows } from "../service/paging/seenRows.js";
import { CallSignal } from "../util/callSignal.js";
import { seededRandom } from "../util/seededRandom.js";
import { type CheckedCall, checkCall } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { type Draw, drawRows } from "./drawRows.js";
import { fetchedResult } from "./execution.js";
import { notebookHost } from "./notebookHost.js";
import type { SampleReport } from "./sampleOptions.js";

const NAMES = ["signal", "unchecked", "engine", "rows", "seed", "pages"];
const DEFAULT_PAGES = 20;

/** How many rows to draw, and how. */
interface SampleSize {
  readonly rows: number;
  readonly pages: number;
  readonly seed: number;
}

/** The pages of a sample with their drawn rows only. */
interface Sampled extends Pick<SampleReport, "of" | "verdict" | "pageRows"> {
  readonly pages: readonly Page[];
  readonly by: Draw["by"];
}

/** Runs `archive.sample`. Its arguments are those of the public method. */
export async function sample(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> | undefined,
): Promise<FrameTypes[Engine]> {
  const name = operationNamed(operation, ["mentions"]);
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
    const sampled = await drawSample(client, call, combined, stop.signal, size);
    const drawn = sampled.pages.reduce((sum, { tape }) => sum + tape.rows, 0);
    combined.end(drawn, [], undefined, drawn < sampled.of ? "sample" : undefined);
    const frame = inEngine(frameOf(sampled.pages), call.engine);
    const provenance = combined.provenance(name, Object.fromEntries(call.request.query));
    const report = reportOf(sampled, drawn, size.seed);
    setProvenance(frame, { ...provenance, rows: drawn, sample: report });
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

/** Counts the search, draws rows, and fetches their pages. A snapshot keeps count and pages as one retrieval. */
async function drawSample(
  client: ClientContext,
  { request }: CheckedCall,
  combined: CombinedRecorder,
  signal: AbortSignal,
  size: SampleSize,
): Promise<Sampled> {
  const { requester, redact, concurrency } = client;
  const { pageSize } = client.output;
  const pagination: PaginationContext = { rows: 1 };
  const { shape } = new FrameBuilder(operations.mentions.columns);
  const onPage = () => combined.onPage();
  const common = { requester, redact, pageSize, recorder: combined.add(request) };
  const count = await countRows(request, { ...common, budget: undefined, signal, onPage, pagination });
  const { rows: of, pageRows, verdict } = count;
  if (verdict === "at least") throw cannotSample(of, count.reason);
  const random = seededRandom(size.seed);
  if (pageRows === undefined) {
    // Few rows, which were counted by reading them.
    const pages: Page[] = [];
    const options = { ...common, recorder: combined.add(request), shape: () => shape, signals: [signal] };
    for await (const page of paginate(request, options)) {
      pages.push(page);
      onPage();
    }
    pagination.onEnd?.(1);
    return { ...fromAll(pages, size, random), verdict: "exact", pageRows: null };
  }
  const { positions, by } = drawRows({ ...size, of, pageRows, random });
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
  return { of, verdict: hasMoved ? "estimated" : "exact", pageRows, pages, by };
}

/** Draws from all rows of a search. */
function fromAll(
  pages: readonly Page[],
  { rows }: SampleSize,
  random: () => number,
): Pick<Sampled, "of" | "pages" | "by"> {
  const of = pages.reduce((sum, { tape }) => sum + tape.rows, 0);
  const drawn = drawRows({ of, pageRows: Math.max(1, of), rows, pages: 1, random }).positions.get(1) ?? [];
  let from = 0;
  const selected = pages.map((page) => {
    const own = drawn.map((at) => at - from).filter((at) => at >= 0 && at < page.tape.rows);
    from += page.tape.rows;
    return selectRows(page, own);
  });
  return { of, pages: selected, by: "rows" };
}

function frameOf(pages: readonly Page[]): PolarsFrame {
  const builder = new FrameBuilder(operations.mentions.columns);
  for (const page of pages) builder.add(page);
  return builder.take();
}

function reportOf({ of, verdict, pageRows, pages, by }: Sampled, rows: number, seed: number): SampleReport {
  const used = pages.filter(({ tape }) => tape.rows > 0).length;
  const likely = verdict === "exact" ? "Each row of the search was equally likely" : MOVED;
  const note =
    rows === of
      ? "These are all rows of the search."
      : by === "rows"
        ? `${likely}.`
        : used === rows
          ? `${likely}; each comes from a page of its own.`
          : `${likely}; about ${Math.round(rows / used)} come from each of ${used} pages, and rows of one page may resemble each other.`;
  return Object.freeze({ of, rows, pages: used, pageRows, seed, verdict, note });
}

const MOVED = "Rows moved between the pages of the search while it was read, so that some were more likely than others";

function cannotSample(rows: number, reason: string | null): ArchiveError {
  return new ArchiveError(`no sample can be drawn: at least ${rows} rows were found, but ${reason}.`, {
    code: "CANNOT_SAMPLE",
    hint: "Rows that no page number reaches would be missing. Sample shorter ranges, with mindate and maxdate, until each can be counted.",
  });
}
