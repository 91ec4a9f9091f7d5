import { faulty } from "../../errors/validators.js";
import { stringifyExact } from "../../frames/exactJson.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { timeOf } from "../../util/period.js";
import { formatCount, quoted } from "../../util/text.js";
import { polarsValues } from "../display/cells.js";
import { columnOf } from "../display/frameGrid.js";
import { type ChartSpec, partsOf } from "./chartSpec.js";

/** One row of chart data. */
export type ChartRow = Readonly<Record<string, unknown>>;

/** A chart of more rows takes several seconds. */
const MAX_ROWS = 500_000;

/** What a chart calls a group without a name. */
export const UNKNOWN = "unknown";

/**
 * The rows of a frame as the data of a chart, with the columns that its specification mentions.
 *
 * @throws ValidationError for too many rows, and for a column that is drawn as time but holds none
 */
export function chartRows(frame: PolarsFrame, spec: ChartSpec, columns: readonly string[]): readonly ChartRow[] {
  // Expressions name columns, too.
  const words = new Set(wordsOf(JSON.stringify(spec)));
  const mentioned = columns.filter((name) => wordsOf(name).every((word) => words.has(word)));
  // A chart that only counts rows still needs one column.
  const names = mentioned.length === 0 ? columns.slice(0, 1) : mentioned;
  const height = names[0] === undefined ? 0 : columnOf(frame, names[0]).length;
  if (height > MAX_ROWS) {
    const hint = `Give at most ${formatCount(MAX_ROWS)}: group and count first (frame.groupBy(…).agg(…)), or draw a sample (frame.sample(…)).`;
    throw faulty("frame", `${formatCount(height)} rows`, hint);
  }
  const parts = partsOf(spec);
  const fieldsWhere = (is: (part: ChartSpec) => boolean) => new Set(parts.filter(is).map(({ field }) => field));
  const times = fieldsWhere(({ type, timeUnit }) => type === "temporal" || timeUnit !== undefined);
  const groups = fieldsWhere(({ type }) => type === "nominal" || type === "ordinal");
  const values = names.map((name) => {
    if (times.has(name)) return timesOf(frame, name).map(isoText);
    const plain = plainValues(frame, name);
    return groups.has(name) ? plain.map((value) => (value === null || value === "" ? UNKNOWN : value)) : plain;
  });
  return Array.from({ length: height }, (_, row) =>
    Object.fromEntries(names.map((name, at) => [name, values[at]?.[row]])),
  );
}

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/**
 * The times of a column in milliseconds since 1970, wherever the program runs: of timestamps, days, and text in UTC.
 *
 * @throws ValidationError for a column with values but without times
 */
export function timesOf(frame: PolarsFrame, name: string): readonly (number | null)[] {
  const series = columnOf(frame, name);
  if (series.dtype.variant === "Datetime") return [...series.cast(pl.Datetime("ms")).cast(pl.Float64).toArray()];
  const values = plainValues(frame, name);
  const times = values.map((value) => (value === null ? null : timeOf(String(value))));
  if (values.some((value) => value !== null) && times.every((time) => time === null)) {
    throw faulty("field", `${quoted(name)} holds no times`, "Give a column of timestamps, for example begintime.");
  }
  return times;
}

const isoText = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** Timestamps as ISO 8601 in UTC, integers as numbers (as text if a column has some beyond 2^53), NaN and infinity as null. */
function plainValues(frame: PolarsFrame, name: string): readonly unknown[] {
  const series = columnOf(frame, name);
  if (series.dtype.variant === "Datetime") return timesOf(frame, name).map(isoText);
  return polarsValues(series, "").map(plainValue);
}

function plainValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === "object" && value !== null ? (JSON.parse(stringifyExact(value)) as unknown) : (value ?? null);
}
