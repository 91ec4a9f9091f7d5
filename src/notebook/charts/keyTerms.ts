import { checkedOptions, invalid, nonEmptyString, positiveInteger } from "../../errors/validators.js";
import { type ChartFrame, chartData, requireColumns } from "./chartData.js";
import { COLORS } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link keyTerms}. */
export interface KeyTermsOptions {
  /** Number of terms of each side. Default 15. */
  top?: number | undefined;
  /** The names of both sides. Default `["a", "b"]`. */
  labels?: readonly [string, string] | undefined;
  /** The title of the chart. Default `"Distinctive terms"`. */
  title?: string | undefined;
}

const MEASURES = ["term", "z", "count_a", "count_b", "rate_a", "rate_b"];

/**
 * Draws the terms that set two sides apart: bars to both sides, by their z-score.
 *
 * @param frame a frame of `keyness` from `archive-frames/text`
 * @param given how many terms, the names of the sides, title
 * @throws ValidationError for a frame without the columns of `keyness`
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await keyTerms(await keyness(left, right), { labels: ["Democrats", "Republicans"] });
 */
export async function keyTerms(frame: ChartFrame, given: KeyTermsOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["top", "labels", "title"], "option of keyTerms");
  const top = options.top === undefined ? 15 : positiveInteger("top", options.top, 15);
  const title = options.title === undefined ? "Distinctive terms" : nonEmptyString("title", options.title);
  const labels = options.labels ?? ["a", "b"];
  if (!Array.isArray(labels) || labels.length !== 2) {
    throw invalid("labels", labels, 'Give two names, for example labels: ["before", "after"].');
  }
  requireColumns(frame, MEASURES, "keyness(…)");
  const sorted = chartData(frame, MEASURES).sort((a, b) => Number(b.z) - Number(a.z));
  const positive = sorted.filter(({ z }) => Number(z) > 0).slice(0, top);
  const negative = sorted.filter(({ z }) => Number(z) < 0).slice(-top);
  const values = [...positive, ...negative].map((row) => ({ ...row, side: labels[Number(row.z) > 0 ? 0 : 1] }));
  return drawChart(
    {
      title: {
        text: title,
        subtitle: `${labels[0]} to the right, ${labels[1]} to the left · z-score of the weighted log-odds`,
      },
      mark: "bar",
      encoding: {
        y: { field: "term", type: "nominal", title: null, sort: [...positive, ...negative].map(({ term }) => term) },
        x: { field: "z", type: "quantitative", title: "z" },
        color: {
          field: "side",
          type: "nominal",
          title: null,
          scale: { domain: labels, range: [COLORS[0], COLORS[1]] },
          legend: { orient: "top" },
        },
        tooltip: [...MEASURES, "side"].map((field) => ({ field, type: "nominal" })),
      },
    },
    values,
    ["term", "side", "z"],
  );
}
