import { checkColumns, checkedOptions, faulty, nonEmptyString, oneOf } from "../../errors/validators.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { congressDates } from "../../util/congress.js";
import { PERIODS, type PeriodDays, periodName, periodOf } from "../../util/period.js";
import { type ChartRow, chartData, frameColumns } from "./chartData.js";
import { COLORS, isShare, linesOf, rankValues, Series, type SeriesOptions, unitOfRates } from "./chartSeries.js";
import { faceted } from "./chartSpec.js";
import { type Chart, chartSource, drawChart } from "./drawChart.js";
import { axisOf, middleOf } from "./mentionsOverTime.js";

const MEASURES = ["pattern", "count", "denominator", "rate", "low", "high"];
const NO_GROUPS = new Set([...MEASURES, ..."clusters left_out largest_share note".split(" ")]);

/**
 * Draws rates over time: one line per pattern and group, with its confidence interval as a band. Periods without speech are gaps.
 *
 * @param frame a frame of `rates` from `archive-frames/text` with a period among its groups, of at most seven lines
 * @param given `title`; `unit`; `facet`: a column with a picture for each value; `labels`, `colors`, `events`
 * @throws ValidationError for a frame without these columns or a period, and for more than seven lines
 * @example
 * await ratesOverTime(await rates(frame, ["climate change", "tax*"], { by: ["year", "party"] }), { facet: "pattern" });
 */
export async function ratesOverTime(
  frame: PolarsFrame,
  given: {
    /** The title of the chart. Default `"Rates over time"`. */
    title?: string | undefined;
    /** The title of the axis of rates. Default: the unit that they were counted in, for example `"per 10,000 words"`. */
    unit?: string | undefined;
    /** A column with a picture of its own for each value, for example `"pattern"`. Default: one picture. */
    facet?: string | undefined;
  } & SeriesOptions = {},
): Promise<Chart> {
  const names = ["title", "unit", "facet", "labels", "colors", "events"];
  const options = checkedOptions(given, names, "option of ratesOverTime");
  const title = optionalText("title", options.title, "Rates over time");
  const unit = optionalText("unit", options.unit, unitOfRates(frame) ?? "rate");
  const series = new Series(options);
  const columns = frameColumns(frame);
  checkColumns(columns, MEASURES, 'rates(…, { by: "month" })');
  const period = PERIODS.find((each) => columns.includes(each));
  if (period === undefined) {
    throw faulty("frame", "it has no period", 'Give a frame of rates(…, { by: ["month", …] }).');
  }
  const facet = options.facet === undefined ? undefined : oneOf("facet", options.facet, columns);
  const groups = columns.filter((name) => name !== period && name !== facet && !NO_GROUPS.has(name));
  const rows = chartData(frame, columns).filter((row) => row[period] !== null);
  const isNamed = (new Set(rows.map((row) => row.pattern)).size > 1 && facet !== "pattern") || groups.length === 0;
  const lines = rankValues(
    rows.map((row) => {
      const parts = [...(isNamed ? [row.pattern] : []), ...groups.map((group) => row[group] ?? "unknown")];
      return series.label(parts.map(String).join(" · "));
    }),
  );
  if (lines.order.length > COLORS.length) {
    throw faulty("frame", `more than ${COLORS.length} lines`, "Filter it to fewer patterns or groups.");
  }
  const periods = new Map<string, PeriodDays>();
  const values = rows.map((row, at) => {
    const begin = period === "congress" ? congressDates(Number(row[period])).mindate : String(row[period]);
    const days = periodOf(Date.parse(begin), period);
    periods.set(days.begin, days);
    return { ...row, line: lines.names[at], time: periodName(days.begin, period), middle: middleOf(days) };
  });
  const rate = { type: "quantitative", title: unit, ...shareAxis(unit, values, ["low", "rate", "high"]) };
  const isAlone = lines.order.length === 1;
  const query = queriesOf(provenanceOf(frame));
  const subtitle = [
    ...(isAlone ? lines.order : []),
    ...(query === undefined ? [] : [`search: ${query}`]),
    `by ${period}, with confidence intervals`,
  ];
  const scale = series.scale(lines.order);
  const legend = isAlone ? null : { orient: "top", labelLimit: 400, symbolOpacity: 1 };
  const spec = series.withEvents({
    title: { text: title, subtitle: subtitle.join(" · ") },
    encoding: {
      x: { ...axisOf("middle", period, [...periods.values()]), scale: { type: "utc" } },
      color: { field: "line", type: "nominal", title: null, scale, legend },
    },
    layer: [
      {
        mark: { type: "area", opacity: 0.18 },
        encoding: { y: { ...rate, field: "low" }, y2: { field: "high" } },
      },
      {
        mark: { type: "line", point: { filled: true, size: 24 } },
        encoding: {
          y: { ...rate, field: "rate" },
          tooltip: tooltip(["time", "line", "count", "denominator"], ["rate", "low", "high"]),
        },
      },
    ],
  });
  const shown = ["time", "line", "count", "denominator", "rate", "low", "high"];
  return drawChart(faceted(spec, facet, 280), values, chartSource([frame], "ratesOverTime"), shown);
}

function optionalText(name: string, given: unknown, fallback: string): string {
  return given === undefined ? fallback : nonEmptyString(name, given);
}

/** What a mark shows on hover: words, and numbers with three digits. */
function tooltip(words: readonly string[], numbers: readonly string[] = []): object[] {
  return [
    ...words.map((field) => ({ field, type: "nominal" })),
    ...numbers.map((field) => ({ field, type: "quantitative", format: ".3~r" })),
  ];
}

/** The axis of a unit in percent if these fields are shares. */
function shareAxis(unit: string, rows: readonly ChartRow[], fields: readonly string[]): object {
  const values = rows.flatMap((row) => fields.map((field) => row[field]));
  return isShare(unit, values) ? { axis: { format: "~%" } } : {};
}

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
 * @example
 * await estimates(await rates(frame, ["cost of living", "tax*"], { by: "party" }), { facet: "pattern" });
 */
export async function estimates(
  frame: PolarsFrame,
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
  const title = optionalText("title", options.title, "Estimates");
  const series = new Series(options);
  const columns = frameColumns(frame);
  checkColumns(columns, ["low", "high"], "rates(…) or compare(…)");
  const estimate = ESTIMATES.find((name) => columns.includes(name));
  if (estimate === undefined) {
    throw faulty("frame", "it has no estimates", `Give a frame with a column ${ESTIMATES.join(", ")}.`);
  }
  const unit = optionalText("unit", options.unit, (estimate === "rate" && unitOfRates(frame)) || estimate);
  const rows = chartData(frame, columns);
  const isNumber = (name: string) => rows.some((row) => typeof row[name] === "number") || name === estimate;
  const names = columns.slice(0, columns.findIndex(isNumber)).filter((name) => name !== "sentence");
  const facet = options.facet === undefined ? undefined : oneOf("facet", options.facet, columns);
  const several = names.filter((name) => name !== facet && new Set(rows.map((row) => row[name])).size > 1);
  const shown = several.length === 0 ? names.slice(0, 1) : several;
  const labels = rows.map((row) => shown.map((name) => series.label(nameOf(name, row[name]))));
  const values = rows.map((row, at) => ({ ...row, row: labels[at]?.join(" · ") ?? "", series: labels[at]?.[0] ?? "" }));
  const { order } = rankValues(values.map((value) => value.series));
  const query = queriesOf(provenanceOf(frame));
  const sentences = rows.flatMap(({ sentence }) => (typeof sentence === "string" ? sentence : []));
  const subtitle =
    sentences.length === 1 ? String(sentences[0]) : `with intervals${query ? ` · search: ${query}` : ""}`;
  const y = { field: "row", type: "nominal", title: null, sort: null, axis: { grid: true, labelLimit: 300 } };
  const color = { field: "series", type: "nominal", legend: null, scale: series.scale(order) };
  const fields = [estimate, "low", "high"];
  const axis = shareAxis(unit, rows, fields);
  const point = { field: estimate, type: "quantitative", title: unit, scale: { zero: false }, ...axis };
  const spec = {
    title: { text: title, subtitle: linesOf(subtitle) },
    encoding: { y, color },
    layer: [
      { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: { ...point, field: "low" }, x2: { field: "high" } } },
      {
        mark: { type: "point", filled: true, size: 90, opacity: 1 },
        encoding: { x: point, tooltip: tooltip(["row"], fields) },
      },
    ],
  };
  return drawChart(faceted(spec, facet, 280), values, chartSource([frame], "estimates"), ["row", ...fields]);
}
