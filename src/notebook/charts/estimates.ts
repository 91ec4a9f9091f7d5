import { checkColumns, checkedOptions, faulty, nonEmptyString, oneOf } from "../../errors/validators.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { periodName } from "../../util/period.js";
import { type ChartFrame, chartData, frameColumns } from "./chartData.js";
import { Series, type SeriesOptions } from "./chartSeries.js";
import { faceted } from "./chartSpec.js";
import { isShare, linesOf, rankValues, unitOfRates } from "./chartTheme.js";
import { type Chart, chartSource, drawChart } from "./drawChart.js";

/** A value as people write it: a quarter by its name. */
function nameOf(column: string, value: unknown): string {
  const isDay = column === "quarter" && /^\d{4}-\d\d-\d\d/.test(String(value));
  return isDay ? periodName(String(value).slice(0, 10), column) : String(value ?? "unknown");
}

/** What a dot may show, by the columns of its interval. */
const ESTIMATES = ["rate", "share", "estimate", "difference", "ratio", "mean"];

/**
 * Draws estimates with their intervals: a dot and a line for each row, for groups without a period. It draws the results of `rates`
 * and `compare` of `archive-frames/text`, and any frame with an estimate, `low` and `high`.
 *
 * @param frame a frame with a column `rate`, `share`, `estimate`, `difference`, `ratio` or `mean`, and columns `low` and `high`; the
 * columns before the first number name the rows
 * @param given `title`; `unit`; `facet`: a column with a picture for each value; `labels` and `colors` of groups
 * @throws ValidationError for a frame without these columns
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * await estimates(await rates(frame, ["cost of living", "tax*"], { by: "party" }), { facet: "pattern" });
 */
export async function estimates(
  frame: ChartFrame,
  given: {
    /** The title of the chart. Default `"Estimates"`. */
    title?: string | undefined;
    /** The title of the axis, for example `"per 10,000 words"`. Default: the unit that rates were counted in, or the name of the column. */
    unit?: string | undefined;
    /** A column with a picture of its own for each value, for example `"pattern"`. Default: one picture. */
    facet?: string | undefined;
  } & Omit<SeriesOptions, "events"> = {},
): Promise<Chart> {
  const options = checkedOptions(given, ["title", "unit", "facet", "labels", "colors"], "option of estimates");
  const title = options.title === undefined ? "Estimates" : nonEmptyString("title", options.title);
  const series = new Series(options);
  const columns = frameColumns(frame);
  checkColumns(columns, ["low", "high"], "rates(…) or compare(…)");
  const estimate = ESTIMATES.find((name) => columns.includes(name));
  if (estimate === undefined) {
    throw faulty("frame", "it has no estimates", `Give a frame with a column ${ESTIMATES.join(", ")}.`);
  }
  const unit =
    options.unit === undefined
      ? (estimate === "rate" && unitOfRates(frame)) || estimate
      : nonEmptyString("unit", options.unit);
  const rows = chartData(frame, columns);
  const names = columns.slice(
    0,
    columns.findIndex((name) => rows.some((row) => typeof row[name] === "number") || name === estimate),
  );
  const facet = options.facet === undefined ? undefined : oneOf("facet", options.facet, columns);
  const several = names.filter((name) => name !== facet && new Set(rows.map((row) => row[name])).size > 1);
  const shown = several.length === 0 ? names.slice(0, 1) : several;
  const labels = rows.map((row) => shown.map((name) => series.label(nameOf(name, row[name]))));
  const values = rows.map((row, at) => ({ ...row, row: labels[at]?.join(" · ") ?? "", series: labels[at]?.[0] ?? "" }));
  const { order } = rankValues(values.map((value) => value.series));
  const query = queriesOf(provenanceOf(frame));
  const sentences = rows.flatMap(({ sentence }) => (typeof sentence === "string" ? sentence : []));
  const y = { field: "row", type: "nominal", title: null, sort: null, axis: { grid: true, labelLimit: 300 } };
  const color = { field: "series", type: "nominal", legend: null, scale: series.scale(order) };
  const fields = [estimate, "low", "high"];
  const hasShares = isShare(
    unit,
    fields.flatMap((field) => rows.map((row) => row[field])),
  );
  const axis = hasShares && { axis: { format: "~%" } };
  const point = { field: estimate, type: "quantitative", title: unit, scale: { zero: false }, ...axis };
  const spec = {
    title: {
      text: title,
      subtitle: linesOf(
        sentences.length === 1 ? String(sentences[0]) : `with intervals${query ? ` · search: ${query}` : ""}`,
      ),
    },
    encoding: { y, color },
    layer: [
      { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: { ...point, field: "low" }, x2: { field: "high" } } },
      {
        mark: { type: "point", filled: true, size: 90, opacity: 1 },
        encoding: {
          x: point,
          tooltip: [
            { field: "row", type: "nominal" },
            ...fields.map((field) => ({ field, type: "quantitative", format: ".3~r" })),
          ],
        },
      },
    ],
  };
  return drawChart(faceted(spec, facet, 280), values, chartSource([frame], "estimates"), ["row", ...fields]);
}
