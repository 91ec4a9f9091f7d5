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
    /** The drawn rows and the page of each: from pages by number, or from all rows where pages have no numbers or few have most rows. */
    const draw = async () => {
      const { rows: of, verdict, reason } = await counter.count();
      if (of === 0) warnOfNoRows(request);
      if (verdict === "at least") {
        const hint = "Sample shorter ranges, with mindate and maxdate, until each can be counted.";
        throw cannotSample(`at least ${of} rows were found, but ${reason}`, hint);
      }
      const { pageRows } = counter;
      const positions = pageRows && drawRows({ of, pageRows }, { rows, pages }, random);
      if (!pageRows || !positions) {
        await counter.read(Number.POSITIVE_INFINITY);
        for (const page of pagesByCursor) builder.add(page);
        const all = builder.take();
        const places = distinctNumbers(Math.min(rows, all.height), all.height, random);
        const frame = pl.DataFrame(all.getColumns().map((column) => column.gather(places)));
        const pagesWithRows = pagesByCursor.filter(({ tape }) => tape.rows > 0).length;
        return { of, pageRows: null, frame, numbers: places.map(() => null), pagesWithRows };
      }
      const sized = withParameter(request, "limit", String(pageRows));
      const seen = new SeenRows();
      const numbers: number[] = [];
      for (const [number, places] of positions) {
        const page = await counter.open(withParameter(sized, "page", String(number)));
        const selected = selectRows(page, places);
        const isAsCounted = page.tape.rows === Math.min(pageRows, of - (number - 1) * pageRows);
        if (!isAsCounted || seen.withoutDuplicates(selected, { conflicts: 0 }) !== selected) {
          const hint = "Repeat the call, with a maxdate in the past if rows are still added.";
          throw cannotSample("rows moved between the pages of the search while it was read", hint);
        }
        builder.add(selected);
        for (const _ of places) numbers.push(number);
      }
      return { of, pageRows, frame: builder.take(), numbers, pagesWithRows: positions.size };
    };
    const { of, pageRows, frame: drawn, numbers, pagesWithRows } = await draw().finally(() => counter.close());
    const frame = appendColumns(drawn, pl.DataFrame([pl.Series("page", numbers, pl.Int64)]));
    const report = Object.freeze({ of, rows: frame.height, pages: pagesWithRows, pageRows, seed });
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
 * probability proportional to size. The last page, if it is short, and the one before it are drawn as one.
 *
 * @param size rows to draw, and pages to draw them from; more are used if these are too few
 * @returns by page number (from 1), the positions on that page (from 0), ascending; undefined if the pages would cover most of the result
 */
export function drawRows(
  { of, pageRows }: { readonly of: number; readonly pageRows: number },
  { rows, pages }: { readonly rows: number; readonly pages: number },
  random: () => number,
): ReadonlyMap<number, readonly number[]> | undefined {
  const count = Math.min(rows, of);
  const draws = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.floor(of / pageRows) - 1;
  const lastRows = of - last * pageRows;
  if (draws * lastRows > of) return undefined;
  const extra = new Set(distinctNumbers(count % draws, draws, random));
  const start = random();
  const places = [...Array(draws).keys()].flatMap((at) => {
    const page = Math.min(last, Math.floor(((at + start) * of) / draws / pageRows));
    const size = Math.floor(count / draws) + (extra.has(at) ? 1 : 0);
    return distinctNumbers(size, page === last ? lastRows : pageRows, random).map((row) => page * pageRows + row);
  });
  const byPage = groupBy(places, (place) => Math.floor(place / pageRows) + 1);
  return new Map([...byPage].map(([page, all]) => [page, all.map((place) => place % pageRows)]));
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
