import { checkedOptions, nonEmptyString, oneOf } from "../../errors/validators.js";
import { type ChartFrame, chartData, requireColumns } from "./chartData.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link speakerMatrix}. */
export interface SpeakerMatrixOptions {
  /** The column to show as color. Default: the first column after `a` and `b`. */
  value?: string | undefined;
  /** The title of the chart. Default `"Who speaks with whom"`. */
  title?: string | undefined;
}

/**
 * Draws pairs of speakers as a matrix: the darker a cell, the closer the two. Speakers with the closest ties come first.
 *
 * @param frame a frame of `coSpeech` or `similarity` from `archive-frames/text`
 * @param given column and title
 * @throws ValidationError for a frame without the columns `a` and `b`
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await speakerMatrix(await coSpeech(frame, { top: 20 }));
 */
export async function speakerMatrix(frame: ChartFrame, given: SpeakerMatrixOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["value", "title"], "option of speakerMatrix");
  const title = options.title === undefined ? "Who speaks with whom" : nonEmptyString("title", options.title);
  const columns = requireColumns(frame, ["a", "b"], "coSpeech(…) or similarity(…)");
  const measures = columns.filter((name) => name !== "a" && name !== "b");
  const value = oneOf("value", options.value ?? measures[0], measures);
  const rows = chartData(frame, ["a", "b", value]);
  const ties = new Map<unknown, number>();
  for (const { a, b, [value]: tie } of rows) {
    for (const name of [a, b]) ties.set(name, (ties.get(name) ?? 0) + Number(tie));
  }
  const order = [...ties].sort(([, x], [, y]) => y - x).map(([name]) => name);
  // A matrix has every pair twice.
  const values = rows.flatMap(({ a, b, [value]: tie }) => [
    { a, b, tie },
    { a: b, b: a, tie },
  ]);
  const axis = { type: "nominal", title: null, sort: order };
  return drawChart(
    {
      title: { text: title, subtitle: `${order.length} speakers, by ${value}` },
      mark: "rect",
      encoding: {
        x: { field: "a", ...axis, axis: { labelAngle: -45 } },
        y: { field: "b", ...axis },
        color: { field: "tie", type: "quantitative", title: value, scale: { scheme: "blues" } },
        tooltip: ["a", "b", "tie"].map((field) => ({ field, type: "nominal" })),
      },
    },
    values,
    ["a", "b", "tie"],
  );
}
