import { checkedOptions, nonEmptyString, oneOf } from "../../errors/validators.js";
import { type ChartFrame, chartData, requireColumns } from "./chartData.js";
import { rankingColors, rankValues } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link keywordDispersion}. */
export interface KeywordDispersionOptions {
  /** The column with a row of ticks for each of its seven most frequent values. Default `"pattern"`. */
  by?: string | undefined;
  /** The title of the chart. Default `"Where it was said"`. */
  title?: string | undefined;
}

/**
 * Draws every match as a tick on a time line, to see whether a phrase is said all the time or in bursts.
 *
 * @param frame a frame of `kwic` from `archive-frames/text`, of at most 50,000 rows
 * @param given rows of ticks, and title
 * @throws ValidationError for a frame without the columns of `kwic`
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await keywordDispersion(await kwic(frame, ["climate change", "climate crisis"]));
 * await keywordDispersion(await kwic(frame, "climate change"), { by: "person" });
 */
export async function keywordDispersion(frame: ChartFrame, given: KeywordDispersionOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["by", "title"], "option of keywordDispersion");
  const title = options.title === undefined ? "Where it was said" : nonEmptyString("title", options.title);
  const columns = requireColumns(frame, ["begintime", "pattern", "keyword"], "kwic(…)");
  const by = oneOf("by", options.by ?? "pattern", columns);
  const rows = chartData(frame, [...new Set(["begintime", "keyword", by])]).filter(
    ({ begintime }) => begintime !== null,
  );
  const { names, order } = rankValues(rows.map((row) => row[by]));
  const values = rows.map(({ begintime, keyword }, at) => ({ begintime, keyword, group: names[at] }));
  return drawChart(
    {
      title: { text: title, subtitle: `one tick per match, ${values.length} in all` },
      mark: { type: "tick", thickness: 1, size: 18, opacity: 0.6 },
      encoding: {
        x: { field: "begintime", type: "temporal", title: null, scale: { type: "utc" }, axis: { grid: false } },
        y: { field: "group", type: "nominal", title: null, sort: order },
        color: { field: "group", type: "nominal", scale: rankingColors(order), legend: null },
        tooltip: ["begintime", "group", "keyword"].map((field) => ({ field, type: "nominal" })),
      },
    },
    values,
  );
}
