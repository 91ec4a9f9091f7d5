import { ValidationError } from "../../errors/index.js";
import { checkedOptions, nonEmptyString } from "../../errors/validators.js";
import { PERIODS } from "../../util/period.js";
import { type ChartFrame, chartData, requireColumns } from "./chartData.js";
import { COLORS, rankingColors, rankValues } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link ratesOverTime}. */
export interface RatesOverTimeOptions {
  /** The title of the chart. Default `"Rates over time"`. */
  title?: string | undefined;
  /** The title of the axis of rates, for example `"per 10,000 words"`. Default `"rate"`. */
  unit?: string | undefined;
}

const MEASURES = ["pattern", "count", "denominator", "rate", "low", "high"];

/**
 * Draws rates over time: one line per pattern and group, with its confidence interval as a band. Periods without speech are gaps.
 *
 * @param frame a frame of `rates` from `archive-frames/text` with a period among its groups, of at most seven lines
 * @param given title and unit
 * @throws ValidationError for a frame without these columns or a period, and for more than seven lines
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await ratesOverTime(await rates(frame, "climate change", { by: ["year", "party"] }), { unit: "per 10,000 words" });
 */
export async function ratesOverTime(frame: ChartFrame, given: RatesOverTimeOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["title", "unit"], "option of ratesOverTime");
  const title = options.title === undefined ? "Rates over time" : nonEmptyString("title", options.title);
  const unit = options.unit === undefined ? "rate" : nonEmptyString("unit", options.unit);
  const columns = requireColumns(frame, MEASURES, 'rates(…, { by: "month" })');
  const period = PERIODS.find((each) => columns.includes(each));
  if (period === undefined) {
    throw new ValidationError("invalid frame: it has no period.", {
      hint: 'Give a frame of rates(…, { by: ["month", …] }).',
      parameter: "frame",
    });
  }
  const groups = columns.filter((name) => name !== period && !MEASURES.includes(name));
  const rows = chartData(frame, columns).filter((row) => row[period] !== null);
  const patterns = new Set(rows.map((row) => row.pattern));
  const line = (row: Readonly<Record<string, unknown>>) =>
    [
      ...(patterns.size > 1 || groups.length === 0 ? [row.pattern] : []),
      ...groups.map((name) => row[name] ?? "unknown"),
    ]
      .map(String)
      .join(" · ");
  const { names, order } = rankValues(rows.map(line));
  if (order.length > COLORS.length) {
    throw new ValidationError(`invalid frame: more than ${COLORS.length} lines.`, {
      hint: "Filter it to fewer patterns or groups.",
      parameter: "frame",
    });
  }
  const values = rows.map((row, at) => ({ ...row, line: names[at], time: row[period] }));
  const alone = order.length === 1;
  const color = {
    field: "line",
    type: "nominal",
    title: null,
    scale: rankingColors(order),
    legend: alone ? null : { orient: "top", labelLimit: 400 },
  };
  return drawChart(
    {
      title: { text: title, subtitle: `${alone ? `${order[0]} · ` : ""}by ${period}, with confidence intervals` },
      encoding: {
        x: { field: "time", type: "temporal", title: null, scale: { type: "utc" }, axis: { grid: false } },
        color,
      },
      layer: [
        {
          mark: { type: "area", opacity: 0.18 },
          encoding: { y: { field: "low", type: "quantitative", title: unit }, y2: { field: "high" } },
        },
        {
          mark: { type: "line", point: { filled: true, size: 24 } },
          encoding: {
            y: { field: "rate", type: "quantitative", title: unit },
            tooltip: ["time", "line", "count", "denominator", "rate", "low", "high"].map((field) => ({
              field,
              type: "nominal",
            })),
          },
        },
      ],
    },
    values,
    ["time", "line", "count", "denominator", "rate", "low", "high"],
  );
}
