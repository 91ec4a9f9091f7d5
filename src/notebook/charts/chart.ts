import { checkedOptions } from "../../errors/validators.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { pluralize } from "../../util/counts.js";
import { isObject } from "../../util/isObject.js";
import { chartData, frameColumns, measureType } from "./chartData.js";
import { byFrequency, isShare, Series, type SeriesOptions, UNKNOWN, YEAR_AXIS } from "./chartSeries.js";
import { type ChartSpec, checkSpec, mapSpec, withoutShorthand, withUtcTimes } from "./chartSpec.js";
import { type Chart, chartSource, drawChart } from "./drawChart.js";

/**
 * Draws a frame with a Vega-Lite specification, or Altair's shorthand of one. The frame is the data, so leave `data` out. Times are
 * in UTC unless the specification says otherwise, years are shown as 2021, and a column of shares as percent. Charts load no
 * external resources.
 *
 * A specification can contain expressions, which vega compiles to code: do not draw a specification that you do not trust.
 *
 * @param frame a polars frame with at most 50,000 rows; the chart contains only the columns that the specification names
 * @param spec a Vega-Lite specification without data; channels may stand beside the mark, as texts such as `"month:T"`,
 * `"mean(length):Q"`, `"yearmonth(begintime)"` or `"count()"`
 * @param given `labels`, `colors` and `events`
 * @returns the chart, which a notebook shows as a picture; save its `svg` or `spec` to a file
 * @throws ValidationError for an invalid frame or specification, and for a field that the frame does not have
 * @example
 * await chart(frame, { mark: "bar", x: "yearmonth(begintime)", y: "count()", color: "party" });
 * await chart(frame, {
 *   mark: "bar",
 *   encoding: {
 *     x: { field: "begintime", type: "temporal", timeUnit: "yearmonth" },
 *     y: { aggregate: "count" },
 *   },
 * });
 */
export async function chart(frame: PolarsFrame, spec: ChartSpec, given: SeriesOptions = {}): Promise<Chart> {
  const series = new Series(checkedOptions(given, ["labels", "colors", "events"], "option of chart"));
  const columns = frameColumns(frame);
  const typeOf = (name: string) => (columns.includes(name) ? measureType(frame, name) : undefined);
  const checked = checkSpec(spec, columns, (whole) => withoutShorthand(whole, typeOf));
  const names = mentionedColumns(checked, columns);
  const values = chartData(frame, names).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? series.label(value) : value]),
    ),
  );
  const colored = mapSpec(checked, (part) => withColors(withFormats(part, values), values, series));
  const drawn = withUtcTimes(mapSpec(colored, (part) => withPath(part, columns))) as ChartSpec;
  const shown = values.length <= MAX_TEXT_ROWS ? names : [];
  const notes = omitted(colored, values);
  const noted = notes.length === 0 ? drawn : { ...drawn, title: withSubtitle(drawn.title, notes) };
  return drawChart(series.withEvents(noted, hasTime(drawn)), values, chartSource([frame], "chart"), shown);
}

/** A column by its name, which vega would read as a path: `by.name`, `O'Rourke`. */
function withPath(part: Part, columns: readonly string[]): Part {
  const { field } = part;
  if (typeof field !== "string" || !/[.[\]'"]/.test(field) || !columns.includes(field)) return part;
  // Otherwise its title would be the path.
  const title = titleOf(field, part);
  return { ...(title !== undefined && { title }), ...part, field: field.replaceAll(/[.[\]'"]/g, "\\$&") };
}

/** The title that Vega-Lite gives to a channel; undefined for a part that is no channel. */
function titleOf(field: string, { aggregate, timeUnit, bin, type, as }: Part): string | undefined {
  if (as !== undefined || isObject(aggregate)) return undefined;
  if (bin) return `${field} (binned)`;
  if (typeof timeUnit === "string") return `${field} (${timeUnit})`;
  if (typeof aggregate === "string") return `${aggregate.replace(/^./, (first) => first.toUpperCase())} of ${field}`;
  return type === undefined ? undefined : field;
}

/** Formats where there is none: percent for shares, whole years, and "unknown" for missing names. */
function withFormats(part: Part, values: readonly Part[]): Part {
  const { encoding } = part;
  if (!isObject(encoding)) return part;
  const fieldValues = (field: string) => values.map(({ [field]: value }) => value);
  const hasShares = (field: unknown) => typeof field === "string" && isShare(field, fieldValues(field));
  const changed = Object.entries(encoding).map(([channel, value]) => {
    if (!isObject(value)) return [channel, value];
    const { field, type, axis } = value;
    const isName = typeof field === "string" && /^[no]/.test(String(type)) && hasUnknown(fieldValues(field));
    const own = hasShares(field)
      ? { format: "~%" }
      : field === "year" && type === "temporal"
        ? YEAR_AXIS
        : isName && /^[xy]$/.test(channel)
          ? UNKNOWN_LABEL
          : undefined;
    if (own === undefined || axis === null || "format" in value) return [channel, value];
    if (/^[xy]$/.test(channel)) return [channel, { ...value, axis: { ...own, ...(axis as object | undefined) } }];
    return [channel, hasShares(field) ? { ...value, format: ".3~p" } : value];
  });
  return { ...part, encoding: Object.fromEntries(changed) };
}

/** The colors of parties and those given, where a specification has no scale of its own. Rows without a value are grey. */
function withColors(part: Part, values: readonly Part[], series: Series): Part {
  const { encoding } = part;
  if (!isObject(encoding)) return part;
  const changed = ["color", "fill", "stroke"].map((channel): readonly [string, unknown] => {
    const color = encoding[channel];
    if (!isObject(color) || typeof color.field !== "string" || !/^[no]/.test(String(color.type ?? "nominal")))
      return [channel, color];
    const field = color.field;
    const order = byFrequency(values.map((row) => row[field] ?? null));
    const names = order.map((value) => (value === null || value === "" ? UNKNOWN : String(value)));
    const { range } = series.scale(names);
    const own = "scale" in color || !series.hasColor(names) ? {} : { scale: { domain: order, range } };
    const legend = order.includes(null) &&
      color.legend !== null && { legend: { ...UNKNOWN_LABEL, ...(color.legend as object) } };
    return [channel, { ...color, ...own, ...legend }];
  });
  return {
    ...part,
    encoding: { ...encoding, ...Object.fromEntries(changed.filter(([, value]) => value !== undefined)) },
  };
}

function hasUnknown(values: readonly unknown[]): boolean {
  return values.some((value) => value === null || value === "");
}

const UNKNOWN_LABEL = { labelExpr: `datum.value === null || datum.value === "" ? "${UNKNOWN}" : datum.label` };

/** Channels that a row without a value cannot be drawn in. */
const PLACES = new Set(["x", "y", "x2", "y2", "theta", "radius"]);

/** How many rows are not drawn, in words. */
function omitted(spec: unknown, values: readonly Part[]): string[] {
  const needed = new Set<string>();
  mapSpec(spec, (part) => {
    for (const [channel, value] of Object.entries(isObject(part.encoding) ? part.encoding : {})) {
      if (!PLACES.has(channel) || !isObject(value) || value.aggregate !== undefined) continue;
      const isContinuous = /^[tq]/.test(String(value.type)) || value.timeUnit !== undefined;
      if (isContinuous && typeof value.field === "string") needed.add(value.field);
    }
    return part;
  });
  return [...needed].flatMap((field) => {
    const missing = values.filter((row) => field in row && row[field] === null).length;
    return missing === 0
      ? []
      : `${pluralize(missing, "row")} without ${field} ${missing === 1 ? "is" : "are"} not drawn`;
  });
}

function withSubtitle(title: unknown, lines: readonly string[]): Part {
  if (title === undefined) return { text: lines, fontSize: 12, fontWeight: "normal", color: "#555" };
  const own = isObject(title) ? title : { text: title };
  return { ...own, subtitle: [...[own.subtitle ?? []].flat(), ...lines] };
}

function hasTime({ encoding, layer }: ChartSpec): boolean {
  const x = isObject(encoding) ? encoding.x : undefined;
  return isObject(x) ? x.type === "temporal" || "timeUnit" in x : Array.isArray(layer) && layer.some(hasTime);
}

type Part = Record<string, unknown>;

/** The rows of a longer frame are usually not what the chart shows, but what it counts. */
const MAX_TEXT_ROWS = 40;

/** The columns that a specification mentions anywhere, by name or by path. */
function mentionedColumns(spec: ChartSpec, columns: readonly string[]): string[] {
  const text = JSON.stringify(spec).replaceAll("\\", "");
  const found = columns.filter((name) => name.split(".").every((part) => text.includes(part.replaceAll("\\", ""))));
  // A chart that only counts rows still needs one column.
  return found.length === 0 ? columns.slice(0, 1) : found;
}
