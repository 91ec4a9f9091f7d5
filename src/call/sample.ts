import { ArchiveError } from "../errors/index.js";
import { nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { appendColumns } from "../frames/frameColumns.js";
import { pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { operationNamed, operations } from "../service/operations/operations.js";
import { withParameter } from "../service/operations/request.js";
import { type Page, selectRows } from "../service/paging/page.js";
import { SeenRows } from "../service/paging/seenRows.js";
import { seededRandom } from "../util/hash.js";
import { groupBy } from "../util/lists.js";
import type { ClientContext } from "./clientContext.js";
import { withCounters } from "./combinedRecorder.js";
import { checkCall, remember, warnOfNoRows } from "./execution.js";

const OPTIONS = ["signal", "unchecked", "engine", "rows", "seed", "pages"];

/** Runs `archive.sample`. Its arguments are those of the public method. */
export async function sample(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> = {},
): Promise<FrameTypes[Engine]> {
  const name = operationNamed(operation, ["mentions"]);
  const call = checkCall(name, query, options, client.output, OPTIONS);
  const { request, engine } = call;
  const rows = positiveInteger("rows", options.rows, 200);
  const pages = options.pages == null ? 20 : positiveInteger("pages", options.pages, 50);
  const seed = options.seed == null ? 1 : nonNegativeInteger("seed", options.seed, 1);
  const random = seededRandom(seed);

  return withCounters(client, call, undefined, async (combined, counterOf) => {
    const builder = new FrameBuilder(operations[name].columns);
    const pagesByCursor: Page[] = [];
    const counter = counterOf(request, (page) => pagesByCursor.push(page));
    // Draws from pages by number, or from all rows if pages have no numbers or the drawn ones would cover most of the result.
    const draw = async () => {
      const { rows: of, verdict, reason } = await counter.count();
      if (of === 0) warnOfNoRows(request);
      if (verdict === "at least") {
        const hint = "Sample shorter ranges, with mindate and maxdate, until each can be counted.";
        throw cannotSample(`at least ${of} rows were found, but ${reason}`, hint);
      }
      const { rowsPerPage } = counter;
      const indicesByPage = rowsPerPage && drawRows({ of, rowsPerPage }, { rows, pages }, random);
      if (!rowsPerPage || !indicesByPage) {
        await counter.read(Number.POSITIVE_INFINITY);
        for (const page of pagesByCursor) builder.add(page);
        const allRows = builder.take();
        const indices = distinctNumbers(Math.min(rows, allRows.height), allRows.height, random);
        const frame = pl.DataFrame(allRows.getColumns().map((column) => column.gather(indices)));
        const pageCount = pagesByCursor.filter(({ records }) => records.rows > 0).length;
        return { of, pageRows: null, frame, pageNumbers: indices.map(() => null), pageCount };
      }
      const sizedRequest = withParameter(request, "limit", String(rowsPerPage));
      const seen = new SeenRows();
      const pageNumbers: number[] = [];
      for (const [number, indices] of indicesByPage) {
        const page = await counter.open(withParameter(sizedRequest, "page", String(number)));
        const drawnRows = selectRows(page, indices);
        const hasExpectedRows = page.records.rows === Math.min(rowsPerPage, of - (number - 1) * rowsPerPage);
        if (!hasExpectedRows || seen.withoutDuplicates(drawnRows, { conflicts: 0 }) !== drawnRows) {
          const hint = "Repeat the call, with a maxdate in the past if rows are still added.";
          throw cannotSample("rows moved between the pages of the search while it was read", hint);
        }
        builder.add(drawnRows);
        for (const _ of indices) pageNumbers.push(number);
      }
      return { of, pageRows: rowsPerPage, frame: builder.take(), pageNumbers, pageCount: indicesByPage.size };
    };
    const { of, pageRows, frame: withoutPages, pageNumbers, pageCount } = await draw().finally(() => counter.close());
    const frame = appendColumns(withoutPages, pl.DataFrame([pl.Series("page", pageNumbers, pl.Int64)]));
    const report = Object.freeze({ of, rows: frame.height, pages: pageCount, pageRows, seed });
    combined.end({ capped: report.rows < of ? "sample" : undefined });
    const provenance = combined.provenance(name, Object.fromEntries(request.query));
    setProvenance(frame, { ...provenance, rows: report.rows, sample: report });
    remember(client, combined.total, () => frame);
    return setProvenance(inEngine(frame, engine), provenanceOf(frame));
  });
}

function cannotSample(problem: string, hint: string): ArchiveError {
  return new ArchiveError(`no sample can be drawn: ${problem}.`, { code: "CANNOT_SAMPLE", hint });
}

/**
 * Draws rows without replacement, each with probability `rows / of`. Pages are drawn systematically from a random start, with
 * probability proportional to size. A short last page counts as part of the page before it.
 *
 * @param size rows to draw, and pages to draw them from; more are used if these are too few
 * @returns by page number (from 1), the positions on that page (from 0), ascending; undefined if the pages would cover most of the result
 */
export function drawRows(
  { of, rowsPerPage }: { readonly of: number; readonly rowsPerPage: number },
  { rows, pages }: { readonly rows: number; readonly pages: number },
  random: () => number,
): ReadonlyMap<number, readonly number[]> | undefined {
  const count = Math.min(rows, of);
  const draws = Math.min(count, Math.max(pages, Math.ceil(count / rowsPerPage)));
  const lastPage = Math.floor(of / rowsPerPage) - 1;
  const lastPageRows = of - lastPage * rowsPerPage;
  if (draws * lastPageRows > of) return undefined;
  const largerDraws = new Set(distinctNumbers(count % draws, draws, random));
  const start = random();
  const rowNumbers = [...Array(draws).keys()].flatMap((at) => {
    const page = Math.min(lastPage, Math.floor(((at + start) * of) / draws / rowsPerPage));
    const size = Math.floor(count / draws) + (largerDraws.has(at) ? 1 : 0);
    const indices = distinctNumbers(size, page === lastPage ? lastPageRows : rowsPerPage, random);
    return indices.map((index) => page * rowsPerPage + index);
  });
  const byPage = groupBy(rowNumbers, (row) => Math.floor(row / rowsPerPage) + 1);
  return new Map([...byPage].map(([page, numbers]) => [page, numbers.map((row) => row % rowsPerPage)]));
}

/** `count` distinct numbers below `size`, ascending; each set is equally likely (Floyd's algorithm). */
export function distinctNumbers(count: number, size: number, random: () => number): number[] {
  const numbers = new Set<number>();
  for (let top = size - count; top < size; top++) {
    const at = Math.floor(random() * (top + 1));
    numbers.add(numbers.has(at) ? top : at);
  }
  return [...numbers].sort((a, b) => a - b);
}
