import { checkPolarsFrame } from "../../frames/engine.js";
import { derived } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { pluralize } from "../../util/counts.js";
import { isObject } from "../../util/isObject.js";
import { columnNames } from "../display/frameGrid.js";
import { type ChartRow, chartRows } from "./chartRows.js";
import { type ChartSpec, checkParts, checkSpec, withUtcTimes } from "./chartSpec.js";
import { type Chart, drawChart } from "./drawChart.js";
import { withEncodings } from "./encodings.js";
import { withPartyColors } from "./theme.js";

/**
 * Draws a frame with a Vega-Lite specification, whose channels may stand beside the mark. The frame is the data, so leave `data` out.
 * Columns are drawn by their dtype, times in UTC. Charts load no external resources.
 *
 * A specification can contain expressions, which vega compiles to code: do not draw one that you do not trust.
 *
 * @param frame at most 500,000 rows
 * @param spec from `mentionsOverTime`, for example, or your own; a channel may be a column, or a text such as `"count()"`, `"mean(length)"`
 * or `"yearmonth(begintime)"`
 * @throws ValidationError for an invalid frame or specification, an unknown field, and a picture of more than 5 MB
 * @example
 * await chart(frame, { mark: "bar", x: "party", y: "count()" });
 * const months = frame.withColumns(perPeriod("begintime", "month")).groupBy("month", "party").agg(pl.count("id").alias("rows"));
 * await chart(months, { mark: "bar", x: "month", y: "rows", color: "party" });
 */
export async function chart(frame: PolarsFrame, spec: ChartSpec): Promise<Chart> {
  const columns = columnNames(
    checkPolarsFrame(frame, "frame", "a frame, for example chart(await archive.mentions(…), { … })"),
  );
  checkSpec(spec);
  const written = withUtcTimes(withEncodings(spec, frame, columns));
  checkParts(written, columns);
  const rows = chartRows(frame, written, columns);
  const colored = withPartyColors(written, rows);
  const provenance = provenanceOf(frame);
  const source = provenance && derived(provenance, { verb: "chart", text: "charted" });
  return drawChart(withNotes(colored, omissions(colored, rows)), frame, rows, source);
}

/** How many rows have no place in a single view, in words. */
function omissions({ mark, encoding }: ChartSpec, rows: readonly ChartRow[]): readonly string[] {
  if (mark === undefined || !isObject(encoding)) return [];
  const needed = ["x", "y", "theta", "radius"].flatMap((channel) => {
    const { field, type, timeUnit, aggregate } = isObject(encoding[channel]) ? encoding[channel] : {};
    const isContinuous = type === "temporal" || type === "quantitative" || timeUnit !== undefined;
    return isContinuous && aggregate === undefined && typeof field === "string" ? field : [];
  });
  return needed.flatMap((field) => {
    const missing = rows.filter((row) => row[field] === null).length;
    const verb = missing === 1 ? "is" : "are";
    return missing === 0 ? [] : `${pluralize(missing, "row")} without ${field} ${verb} not drawn`;
  });
}

function withNotes(spec: ChartSpec, notes: readonly string[]): ChartSpec {
  if (notes.length === 0) return spec;
  // Vega-Lite draws no subtitle without a title.
  if (spec.title === undefined) return { ...spec, title: { text: notes, fontSize: 12, fontWeight: "normal" } };
  const title = isObject(spec.title) ? spec.title : { text: spec.title };
  return { ...spec, title: { ...title, subtitle: [...[title.subtitle ?? []].flat(), ...notes] } };
}
