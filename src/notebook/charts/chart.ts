import { invalid } from "../../errors/validators.js";
import { checkPolarsFrame } from "../../frames/engine.js";
import { deriveProvenance } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { isObject } from "../../util/objects.js";
import { pluralize } from "../../util/text.js";
import { columnNames, columnOf } from "../display/frameGrid.js";
import { type ChartRow, chartRows } from "./chartRows.js";
import { type ChartSpec, checkParts, checkSpec, PERIOD_UNITS, type SpecPart, withUtcTimes } from "./chartSpec.js";
import { type Chart, drawChart } from "./drawChart.js";
import { withPartyColors } from "./vega.js";

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
  const source = provenance && deriveProvenance(provenance, { verb: "chart", text: "charted" });
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

/** How a column is measured, in Vega-Lite's words. */
type MeasureType = "temporal" | "quantitative" | "nominal" | "ordinal";

/** How Vega-Lite shall draw a column, by its dtype and its name. */
function measureOf(frame: PolarsFrame, name: string): { readonly type: MeasureType; readonly timeUnit?: string } {
  const { variant } = columnOf(frame, name).dtype;
  const timeUnit = variant === "Date" ? (PERIOD_UNITS as Readonly<Record<string, string>>)[name] : undefined;
  if (timeUnit !== undefined) return { type: "temporal", timeUnit };
  // Text as pandas and toDataFrame have it.
  if (/^Date/.test(variant) || (/time$/.test(name) && /^(?:String|Utf8)$/.test(variant))) return { type: "temporal" };
  // Years and Congresses are names: 2024, not 2,024.
  if (/^(?:year|congress)$/.test(name)) return { type: "ordinal" };
  return { type: /^(?:U?Int|Float|Decimal)/.test(variant) ? "quantitative" : "nominal" };
}

const CHANNELS = new Set(
  "x y x2 y2 xOffset yOffset xError yError color fill stroke opacity size shape strokeDash angle theta radius detail order text tooltip href row column facet".split(
    " ",
  ),
);

/** The specification with its channels in `encoding`, written out: each column has a type, and names stay in the order of the frame. */
function withEncodings(spec: ChartSpec, frame: PolarsFrame, columns: readonly string[]): ChartSpec {
  // `facet` and so on beside `spec` are operators of Vega-Lite, not channels.
  const isChannel = (name: string) => CHANNELS.has(name) && !("spec" in spec);
  const written = Object.entries(spec).filter(([name]) => !isChannel(name));
  const beside = Object.entries(spec).filter(([name]) => isChannel(name));
  const channels = [...Object.entries(isObject(spec.encoding) ? spec.encoding : {}), ...beside];
  const nested = written.map(([name, value]) => {
    if (name === "spec" && isObject(value)) return [name, withEncodings(value, frame, columns)];
    const isList = /^(?:layer|[hv]?concat)$/.test(name) && Array.isArray(value);
    return [name, isList ? value.map((each) => (isObject(each) ? withEncodings(each, frame, columns) : each)) : value];
  });
  const encoding = channels.map(([channel, value]) => [channel, definition(channel, value, frame, columns)]);
  return { ...Object.fromEntries(nested), ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }) };
}

function definition(channel: string, value: unknown, frame: PolarsFrame, columns: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => definition(channel, each, frame, columns));
  const part = typeof value === "string" ? shortForm(channel, value, columns) : value;
  if (!isObject(part)) return part;
  const { field, type, timeUnit, aggregate, bin } = part;
  const isBareColumn = typeof field === "string" && columns.includes(field) && !timeUnit && !aggregate && !bin;
  const isEnd = /^[xy]2$/.test(channel);
  const measured = isBareColumn && type === undefined && !isEnd ? measureOf(frame, field) : {};
  // A column of periods has a title of one word, not "month (year-month)".
  const encoding: SpecPart = { ...measured, ...("timeUnit" in measured && { title: field }), ...part };
  const isName = isBareColumn && encoding.type === "nominal" && /^[xy]$/.test(channel);
  return isName ? { sort: null, ...encoding } : encoding;
}

const TYPES: Readonly<Record<string, MeasureType>> = { T: "temporal", Q: "quantitative", N: "nominal", O: "ordinal" };
const TIME_UNIT = /^(?:utc)?(?:year|quarter|month|week|day|date|hours|minutes|seconds)+$/;

/**
 * A text as an encoding: a column, or Altair's `mean(length):Q`, `yearmonth(begintime)` and `count()`.
 *
 * @throws ValidationError for a text that is neither
 */
function shortForm(channel: string, text: string, columns: readonly string[]): SpecPart {
  if (columns.includes(text)) return { field: text };
  const [, verb, inside, plain, letter] = /^(?:(\w+)\((.*)\)|(.*?))(?::([QNOT]))?$/s.exec(text) ?? [];
  const field = (inside ?? plain ?? "") || undefined;
  if (field === undefined && verb !== "count") {
    throw invalid(
      channel,
      text,
      'Give a column, for example "person", or "mean(length)", "yearmonth(begintime)", "count()".',
    );
  }
  return {
    ...(field && { field }),
    ...(verb && { [TIME_UNIT.test(verb) ? "timeUnit" : "aggregate"]: verb }),
    ...(letter && { type: TYPES[letter] }),
  };
}
