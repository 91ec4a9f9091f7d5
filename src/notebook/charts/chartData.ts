import { faulty } from "../../errors/validators.js";
import { checkPolarsFrame } from "../../frames/engine.js";
import { stringifyExact } from "../../frames/exactJson.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { formatCount } from "../../util/counts.js";
import { columnNames, columnOf, polarsValues } from "../display/frameGrid.js";
import type { MeasureType } from "./chartSpec.js";

/** One row of chart data. */
export type ChartRow = Record<string, unknown>;

/** Maximum number of rows: every row is stored in the notebook. */
const MAX_ROWS = 50_000;

export function frameColumns(frame: PolarsFrame): readonly string[] {
  return columnNames(checkPolarsFrame(frame, "frame", "a frame, for example chart(await archive.mentions(…), { … })"));
}

/**
 * The values of a column for a chart: timestamps as ISO 8601 strings, integers as numbers (as strings if a column has some
 * beyond 2^53), NaN and infinity as null.
 */
export function columnValues(frame: PolarsFrame, name: string): unknown[] {
  const series = columnOf(frame, name);
  return polarsValues(series, timestampFormat(series)).map(toChartValue).map(asPeriod(name));
}

/** By column name: how long the name of a period is, and what is cut to it. */
const PERIODS = new Map<string, readonly [length: number, first: RegExp]>([
  ["year", [4, /^\d{4}(?:-01-01)?$/]],
  ["month", [7, /^\d{4}-\d\d-01$/]],
]);

/** A year as people write it: 2021 instead of its first day or of 2,021. The same for a month. */
function asPeriod(name: string): (value: unknown) => unknown {
  const [length, first] = PERIODS.get(name) ?? [];
  return (value) => (first?.test(String(value)) ? String(value).slice(0, length) : value);
}

/**
 * The rows of a frame for a chart, with the given columns only.
 *
 * @throws ValidationError for a frame with too many rows
 */
export function chartData(frame: PolarsFrame, names: readonly string[]): ChartRow[] {
  const columns = names.map((name) => columnValues(frame, name));
  const height = columns[0]?.length ?? 0;
  if (height > MAX_ROWS) {
    const hint = `Give at most ${formatCount(MAX_ROWS)}: group and count first (frame.groupBy(…).agg(…)), or draw a sample (frame.sample(…)).`;
    throw faulty("frame", `${formatCount(height)} rows`, hint);
  }
  return Array.from({ length: height }, (_, row) =>
    Object.fromEntries(names.map((name, at) => [name, columns[at]?.[row]])),
  );
}

function timestampFormat({ dtype }: pl.Series): string {
  const { timeZone } = dtype as { timeZone?: string };
  return `%Y-%m-%dT%H:%M:%S%.f${timeZone && timeZone !== "UTC" ? "%:z" : "Z"}`;
}

function toChartValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "object" && value !== null) return JSON.parse(stringifyExact(value)) as unknown;
  return value ?? null;
}

/** How a column is measured: by its dtype, or, if it is called `year`, as time. */
export function measureType(frame: PolarsFrame, name: string): MeasureType {
  if (name === "year") return "temporal";
  const type = columnOf(frame, name).dtype.variant;
  if (/^Date/.test(String(type)) || /time$/.test(name)) return "temporal";
  return /^(?:u?int|float|decimal)/i.test(String(type)) ? "quantitative" : "nominal";
}
