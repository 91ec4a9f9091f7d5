import { type ChartFrame, chartData, frameColumns } from "./chartData.js";
import { chartSource } from "./chartSource.js";
import { type ChartSpec, checkSpec, withUtcTimes } from "./chartSpec.js";
import { type Chart, drawChart } from "./drawChart.js";

/**
 * Draws a frame with a Vega-Lite specification. The frame is the data, so leave `data` out. Times are in UTC unless the
 * specification says otherwise. Charts load no external resources.
 *
 * A specification can contain expressions, which vega compiles to code: do not draw a specification that you do not trust.
 *
 * Requires the optional libraries: `npm install vega@5 vega-lite@5`.
 *
 * @param frame a polars or danfo frame with at most 50,000 rows; the chart contains only the columns that the specification names
 * @param spec a Vega-Lite specification without data
 * @returns the chart, which a notebook shows as a picture; save its `svg` or `spec` to a file
 * @throws ValidationError for an invalid frame or specification
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await chart(frame, {
 *   mark: "bar",
 *   encoding: {
 *     x: { field: "begintime", type: "temporal", timeUnit: "yearmonth" },
 *     y: { aggregate: "count" },
 *   },
 * });
 */
export async function chart(frame: ChartFrame, spec: ChartSpec): Promise<Chart> {
  const columns = frameColumns(frame);
  const checked = checkSpec(spec, columns);
  const names = mentionedColumns(checked, columns);
  const values = chartData(frame, names);
  // The rows of a longer frame are usually not what the chart shows, but what it counts.
  return drawChart(
    withUtcTimes(checked) as ChartSpec,
    values,
    chartSource([frame], "chart"),
    values.length <= MAX_TEXT_ROWS ? names : [],
  );
}

/** Rows of a frame that a chart repeats as text. */
const MAX_TEXT_ROWS = 40;

/** The columns that a specification mentions anywhere, by name or by path. */
function mentionedColumns(spec: ChartSpec, columns: readonly string[]): string[] {
  const text = JSON.stringify(spec).replaceAll("\\", "");
  const found = columns.filter((name) => name.split(".").every((part) => text.includes(part.replaceAll("\\", ""))));
  // A chart that only counts rows still needs one column.
  return found.length === 0 ? columns.slice(0, 1) : found;
}
