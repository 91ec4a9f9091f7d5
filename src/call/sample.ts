import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { PaginationContext, Requester } from "../service/http/requester.js";
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
    const sampled = await new Sampling(client, call, combined, stop.signal).draw(size);
    const drawn = sampled.pages.reduce((sum, { ids }) => sum + ids.length, 0);
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

/** The requests of one sample. They are one pagination, so a snapshot keeps them as one retrieval. */
class Sampling {
  readonly #context: PaginationContext = { rows: 1 };
  readonly #requester: Requester;
  readonly #builder = new FrameBuilder(operations.mentions.columns);

  constructor(
    readonly client: ClientContext,
    readonly call: CheckedCall,
    readonly combined: CombinedRecorder,
    readonly signal: AbortSignal,
  ) {
    const { requester } = client;
    this.#requester = {
      request: (path, query, more) => requester.request(path, query, { ...more, signal, pagination: this.#context }),
    };
  }

  async draw(size: SampleSize): Promise<Sampled> {
    const { client, call, combined, signal } = this;
    const { redact, output } = client;
    const recorder = combined.add(call.request);
    const count = await countRows(call.request, {
      ...{ requester: client.requester, recorder, redact, pageSize: output.pageSize, budget: undefined, signal },
      onPage: () => combined.onPage(),
      pagination: this.#context,
    });
    if (count.verdict === "at least") throw cannotSample(count.rows, count.reason);
    const random = seededRandom(size.seed);
    const { rows: of, pageRows } = count;
    const sampled =
      pageRows === undefined
        ? await this.#fromAll(size, random)
        : await this.#fromPages(of, pageRows, count.verdict, drawRows({ ...size, of, pageRows, random }));
    this.#context.onEnd?.(1);
    return sampled;
  }

  /** Draws from the few rows of a search that was counted by reading it. */
  async #fromAll({ rows }: SampleSize, random: () => number): Promise<Sampled> {
    const { client, call, combined, signal } = this;
    const recorder = combined.add(call.request);
    const bounds = { maxItems: undefined, maxPages: undefined, pageSize: client.output.pageSize, ahead: 0 };
    const pages: Page[] = [];
    const common = { requester: client.requester, redact: client.redact, recorder, signals: [signal], ...bounds };
    for await (const page of paginate(call.request, { ...common, shape: () => this.#builder.shape })) {
      pages.push(page);
      combined.onPage();
    }
    const of = pages.reduce((sum, { ids }) => sum + ids.length, 0);
    const { positions } = drawRows({ of, pageRows: Math.max(1, of), rows, pages: 1, random });
    const drawn = positions.get(1) ?? [];
    let from = 0;
    const selected = pages.map((page) => {
      const own = drawn.filter((at) => at >= from && at < from + page.ids.length).map((at) => at - from);
      from += page.ids.length;
      return selectRows(page, own);
    });
    return { of, verdict: "exact", pageRows: null, pages: selected, by: "rows" };
  }

  /** Fetches the drawn pages by number. */
  async #fromPages(of: number, pageRows: number, counted: string, { positions, by }: Draw): Promise<Sampled> {
    const { client, combined } = this;
    const request = withParameter(this.call.request, "limit", String(pageRows));
    const numbers = [...positions.keys()];
    const recorders = numbers.map((number) => combined.add(withParameter(request, "page", String(number))));
    const one = async (number: number, at: number) => {
      const recorder = recorders[at] as (typeof recorders)[number];
      const { path, query } = recorder.request;
      const response = await this.#requester.request(path, query, recorder.context);
      recorder.addResponse(response);
      const page = openPage(response, recorder.request, this.#builder.shape, client.redact);
      recorder.pages++;
      combined.onPage();
      return { number, page };
    };
    const fetched = await pMap(numbers, one, { concurrency: client.concurrency });
    const seen = new SeenRows();
    let hasMoved = counted !== "exact";
    const pages = fetched.map(({ number, page }) => {
      const rows = page.ids.length;
      if (rows !== Math.min(pageRows, of - (number - 1) * pageRows)) hasMoved = true;
      const own = (positions.get(number) ?? []).filter((at) => at < rows);
      const drawn = selectRows(page, own);
      const fresh = seen.withoutDuplicates(drawn, { conflicts: 0 });
      if (fresh.ids.length < drawn.ids.length) hasMoved = true;
      return fresh;
    });
    return { of, verdict: hasMoved ? "estimated" : "exact", pageRows, pages, by };
  }
}

function frameOf(pages: readonly Page[]): PolarsFrame {
  const builder = new FrameBuilder(operations.mentions.columns);
  for (const page of pages) builder.add(page);
  return builder.take();
}

function reportOf({ of, verdict, pageRows, pages, by }: Sampled, rows: number, seed: number): SampleReport {
  const used = pages.filter(({ ids }) => ids.length > 0).length;
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
