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
import { seededRandom } from "../util/seededRandom.js";
import type { ClientContext } from "./clientContext.js";
import { distinctNumbers, drawRows } from "./drawRows.js";
import { checkCall, remember } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { withCounters } from "./withCounters.js";

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
