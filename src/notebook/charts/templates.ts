import { checkColumns, checkedOptions, faulty, nonEmptyString, oneOf } from "../../errors/validators.js";
import { checkPolarsFrame } from "../../frames/engine.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { coveredRange, isPartial, periodsOf, requestedRange } from "../../text/read/periods.js";
import { PERIODS } from "../../util/period.js";
import { verdictText } from "../../util/text.js";
import { columnNames, columnOf } from "../display/frameGrid.js";
import { timesOf, UNKNOWN } from "./chartRows.js";
import { type ChartSpec, PERIOD_UNITS } from "./chartSpec.js";

/**
 * Creates a specification of mentions over time: a bar for each day, month, quarter or year (UTC) that the search asked for. Periods that
 * the result covers only in part are pale.
 *
 * @param frame a frame of mentions, or any frame with a column of times
 * @param options `by`, `column`, `color` and `title`
 * @example
 * const climate = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 1000 });
 * await chart(climate, mentionsOverTime(climate, { color: "person" }));
 */
export function mentionsOverTime(
  frame: PolarsFrame,
  options: {
    /** The period of a bar: `"day"`, `"month"`, `"quarter"` or `"year"`. Default `"month"`. */
    by?: keyof typeof PERIOD_UNITS | undefined;
    /** A column of times. Default `"begintime"`. */
    column?: string | undefined;
    /** A column to color by. Default: none. */
    color?: string | undefined;
    /** The title. Default `"Mentions by month"`, or of the given period. */
    title?: string | undefined;
  } = {},
): ChartSpec {
  const settings = checkedOptions(options, ["by", "column", "color", "title"], "option of mentionsOverTime");
  const columns = columnNames(checkPolarsFrame(frame));
  const column = oneOf("column", settings.column ?? "begintime", columns);
  const by = oneOf("by", settings.by ?? "month", Object.keys(PERIOD_UNITS) as (keyof typeof PERIOD_UNITS)[]);
  const provenance = provenanceOf(frame);
  const times = timesOf(frame, column).map((time) => time ?? Number.NaN);
  const covered = coveredRange(provenance, times);
  const validTimes = times.filter((time) => !Number.isNaN(time));
  const periods = periodsOf(validTimes.length === 0 ? [] : [...validTimes, ...requestedRange(provenance, covered)], by);
  const partial = periods.filter((period) => isPartial(period, covered)).map(({ begin }) => Date.parse(begin));
  const notes = [
    queriesOf(provenance),
    provenance && provenance.verdict !== "complete" && verdictText(provenance),
    partial.length > 0 && `pale: a ${by} that the search covers only in part`,
  ];
  const ends = [periods[0]?.begin, periods.at(-1)?.end].map((day) => Date.parse(day ?? ""));
  const scale = periods.length === 0 ? {} : { scale: { type: "utc", domain: ends } };
  const test = `indexof(${JSON.stringify(partial)}, time(datum["${PERIOD_UNITS[by]}_${column}"])) >= 0`;
  return {
    title: titleOf(settings.title, `Mentions by ${by}`, notes),
    mark: "bar",
    encoding: {
      x: { field: column, timeUnit: PERIOD_UNITS[by], title: null, ...scale },
      y: { aggregate: "count", title: "mentions" },
      ...(settings.color !== undefined && { color: oneOf("color", settings.color, columns) }),
      ...(partial.length > 0 && { opacity: { condition: { test, value: 0.45 }, value: 1 } }),
    },
  };
}

function titleOf(title: string | undefined, fallback: string, notes: readonly unknown[]): ChartSpec {
  const text = title === undefined ? fallback : nonEmptyString("title", title);
  return { text, subtitle: notes.filter((note) => typeof note === "string") };
}

/** The title and the axis of a chart of rates or estimates. */
interface UnitOptions {
  /** The title. */
  title?: string | undefined;
  /** The title of the axis. Default: what the rates were counted per, for example `"per 10,000 words"`. */
  unit?: string | undefined;
}

/**
 * Creates a specification of rates over time: a line for each pattern and group, with its confidence interval as a band. Periods without
 * speech are gaps.
 *
 * @param frame of `rates`, with a period among its groups
 * @param options `title`, and `unit`: the title of the axis
 * @example
 * const byYear = await rates(frame, ["climate change", "tax*"], { by: ["year", "party"] });
 * await chart(byYear, ratesOverTime(byYear));
 */
export function ratesOverTime(frame: PolarsFrame, options: UnitOptions = {}): ChartSpec {
  const settings = checkedOptions(options, ["title", "unit"], "option of ratesOverTime");
  const columns = columnNames(checkPolarsFrame(frame));
  checkColumns(columns, ["count", "rate", "low", "high"], 'rates(…, { by: "month" })');
  const period = PERIODS.find((each) => columns.includes(each));
  if (period === undefined)
    throw faulty("frame", "it has no period", 'Give a frame of rates(…, { by: ["month", …] }).');
  const lines = columns.slice(0, columns.indexOf("count")).filter((name) => name !== period && isVaried(frame, name));
  const axis = axisOf(frame, settings.unit, "rate");
  const legend = { orient: "top", title: null, symbolOpacity: 1 };
  return {
    title: titleOf(settings.title, "Rates over time", [queriesOf(provenanceOf(frame)), "with confidence intervals"]),
    ...joined(lines, "line"),
    encoding: {
      x: { field: period, title: null },
      ...(lines.length > 0 && { color: { field: lines[1] ? "line" : lines[0], type: "nominal", legend } }),
    },
    layer: [
      { mark: { type: "area", opacity: 0.18 }, encoding: { y: { ...axis, field: "low" }, y2: { field: "high" } } },
      { mark: { type: "line", point: true }, encoding: { y: { ...axis, field: "rate" } } },
    ],
  };
}

/** What a dot may show. */
const ESTIMATES = ["rate", "share", "estimate", "difference", "ratio", "mean"];

/**
 * Creates a specification of estimates with their intervals, such as the results of `rates` and `compare`: a dot and a line for each row,
 * named by the columns before the first number.
 *
 * @param frame with a column `rate`, `share`, `estimate`, `difference`, `ratio` or `mean`, and columns `low` and `high`
 * @param options `title`, and `unit`: the title of the axis
 * @example
 * const byParty = await rates(frame, ["cost of living", "tax*"], { by: "party" });
 * await chart(byParty, estimates(byParty, { title: "Who says it" }));
 */
export function estimates(frame: PolarsFrame, options: UnitOptions = {}): ChartSpec {
  const settings = checkedOptions(options, ["title", "unit"], "option of estimates");
  const columns = columnNames(checkPolarsFrame(frame));
  checkColumns(columns, ["low", "high"], "rates(…) or compare(…)");
  const estimate = ESTIMATES.find((name) => columns.includes(name));
  if (estimate === undefined) {
    throw faulty("frame", "it has no estimates", `Give a frame with a column ${ESTIMATES.join(", ")}.`);
  }
  const first = columns.findIndex((name) => /^(?:U?Int|Float)/.test(columnOf(frame, name).dtype.variant));
  const varied = columns.slice(0, first).filter((name) => name !== "sentence" && isVaried(frame, name));
  const names = varied.length === 0 ? columns.slice(0, 1) : varied;
  const axis = { ...axisOf(frame, settings.unit, estimate), scale: { zero: false } };
  return {
    title: titleOf(settings.title, "Estimates", [queriesOf(provenanceOf(frame)), "with confidence intervals"]),
    ...joined(names, "row"),
    encoding: {
      y: { field: names[1] ? "row" : names[0], type: "nominal", title: null, sort: null, axis: { grid: true } },
      color: { field: names[0], type: "nominal", legend: null },
    },
    layer: [
      { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: { ...axis, field: "low" }, x2: { field: "high" } } },
      { mark: { type: "point", filled: true, size: 90 }, encoding: { x: { ...axis, field: estimate } } },
    ],
  };
}

function isVaried(frame: PolarsFrame, name: string): boolean {
  return columnOf(frame, name).nUnique() > 1;
}

/** A transform that joins several columns to one text: `tax* · Democrat`. */
function joined(names: readonly string[], as: string): ChartSpec {
  if (names.length < 2) return {};
  const texts = names.map((name) => `(datum[${JSON.stringify(name)}] || "${UNKNOWN}")`);
  return { transform: [{ calculate: texts.join(' + " · " + '), as }] };
}

/** The axis of an estimate, with shares in percent. */
function axisOf(frame: PolarsFrame, unit: string | undefined, estimate: string): ChartSpec {
  const title =
    unit === undefined ? (estimate === "rate" && unitOfRates(frame)) || estimate : nonEmptyString("unit", unit);
  return { type: "quantitative", title, ...(/^share/.test(title) && { axis: { format: "~%" } }) };
}

/** What the rates of a frame are per, from the step that counted them. */
function unitOfRates(frame: PolarsFrame): string | undefined {
  const step = provenanceOf(frame)?.steps?.findLast(({ verb }) => verb === "rates" || verb === "compare");
  const unit = /\brates per (hour|mention|[\d,.]+ words) of /.exec(step?.text ?? "")?.[1];
  return unit === "mention" ? "share of mentions" : unit && `per ${unit === "hour" ? "hour of speech" : unit}`;
}
