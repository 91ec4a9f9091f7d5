import { type ChartFrame, chartData, frameColumns } from "./chartData.js";
import { type ChartSpec, checkSpec, withUtcTimes } from "./chartSpec.js";
import { type Chart, drawChart } from "./drawChart.js";

/**
 * Draws a frame by a Vega-Lite specification. The frame is the data, so the specification has none; its times are in UTC, as
 * those of frames are, unless it says otherwise. Nothing is loaded from elsewhere.
 *
 * A specification may hold expressions, which vega turns into code: read one from somebody else as you would read a program.
 *
 * The libraries `vega` and `vega-lite` are optional: type `npm install vega@5 vega-lite@5` once.
 *
 * @param frame a polars or danfo frame of at most 50,000 rows; only the columns that the specification names go into the chart
 * @returns the chart, which a notebook shows as a picture; `svg` and `spec` are there for files
 * @throws ValidationError for another frame or specification; ArchiveError `CHARTS_MISSING`
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
  return drawChart(withUtcTimes(checked) as ChartSpec, chartData(frame, named(checked, columns)));
}

/** The columns that a specification may mean: their names, or the names along a path, are somewhere in its text. */
function named(spec: ChartSpec, columns: readonly string[]): string[] {
  const text = JSON.stringify(spec).replaceAll("\\", "");
  const found = columns.filter((name) => name.split(".").every((part) => text.includes(part.replaceAll("\\", ""))));
  // Counting rows needs rows, whichever columns they have.
  return found.length === 0 ? columns.slice(0, 1) : found;
}
