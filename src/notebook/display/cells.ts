import { stringifyExact } from "../../frames/exactJson.js";
import { pl } from "../../frames/polars.js";
import { DAY } from "../../util/period.js";

/** A value, formatted for display. */
export interface Cell {
  readonly text: string;
  /** The full value if the text is shortened, for example all digits of a number. */
  readonly full?: string;
}

/** Timestamps without zone; the dtype shows it. */
const TIMESTAMP_FORMAT = "%Y-%m-%d %H:%M:%S%.f";

/** The values of a column, formatted alike; null for a missing value. */
export function cellsOf(series: pl.Series): readonly (Cell | null)[] {
  const { variant } = series.dtype;
  try {
    if (variant === "Duration") return [...series.cast(pl.Duration("us")).toArray()].map(durationCell);
    const values = polarsValues(series, TIMESTAMP_FORMAT);
    return variant.startsWith("Float") ? floatCells(values as (number | null)[]) : values.map(valueCell);
  } catch {
    // The dtype has no JavaScript values: only mark which cells are not null.
    return [...series.isNull().toArray()].map((missing) => (missing ? null : { text: "?" }));
  }
}

/**
 * The values of a column without loss. Timestamps become strings, and so do all values of a column with integers beyond 2^53;
 * in lists such integers are bigint.
 *
 * @param timestampFormat strftime format of timestamps
 * @throws Error for a dtype that has no JavaScript values
 */
export function polarsValues(series: pl.Series, timestampFormat: string): unknown[] {
  const { variant } = series.dtype;
  switch (variant) {
    case "Datetime":
      return [...series.date.strftime(timestampFormat).toArray()];
    case "Int64": {
      const values: unknown[] = [...series.toArray()];
      const isExact = values.every((value) => value === null || Number.isSafeInteger(value));
      return isExact ? values : [...series.cast(pl.Utf8).toArray()];
    }
    case "Date":
    case "Decimal":
    case "Categorical":
      return [...series.cast(pl.Utf8).toArray()];
    case "List":
      return listsOf(series);
    default:
      return [...series.toArray()];
  }
}

function listsOf(series: pl.Series): unknown[] {
  const isLong = series.dtype.inner?.[0]?.variant === "Int64";
  if (!isLong) return [...series.toArray()];
  const lists = [...series.cast(pl.List(pl.Utf8)).toArray()] as Array<string[] | null>;
  return lists.map((list) => list?.map((item) => (item === null ? null : BigInt(item))) ?? null);
}

/** Nested values become JSON. */
function valueCell(value: unknown): Cell | null {
  if (value === null || value === undefined) return null;
  return { text: typeof value === "object" ? stringifyExact(value) : String(value) };
}

/** Formats a duration as days and time: `27 d 02:42:09.250`. */
function durationCell(microseconds: number | null): Cell | null {
  if (microseconds === null) return null;
  const milliseconds = Math.floor(Math.abs(microseconds) / 1000);
  const days = Math.floor(milliseconds / DAY);
  const time = new Date(milliseconds % DAY).toISOString().slice(11, 23).replace(".000", "");
  return { text: `${microseconds < 0 ? "-" : ""}${days > 0 ? `${days} d ` : ""}${time}` };
}

/**
 * Formats the floats of a column alike: with the decimals that its largest number needs for three digits, at least one, and none if all
 * are whole, as counts are. If that loses digits, `full` has all of them.
 *
 * @example
 * floatCells([237.4, 14, 600]); //=> 237.4, 14.0, 600.0
 */
function floatCells(column: readonly (number | null)[]): readonly (Cell | null)[] {
  const isHuge = (value: number) => Math.abs(value) >= 1e15;
  const numbers = column.filter((value) => value !== null && Number.isFinite(value) && !isHuge(value)) as number[];
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const needed = numbers.reduce((most, value) => Math.max(most, decimalsOf(value)), 0);
  const decimals = Math.min(6, needed, Math.max(1, 2 - Math.floor(Math.log10(largest))));
  return column.map((value) => {
    if (value === null) return null;
    if (!Number.isFinite(value)) return { text: Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf" };
    const short = Number(value.toPrecision(3));
    const fixed = isHuge(value) ? short.toExponential() : value.toFixed(decimals);
    const isLost = value !== 0 && !isHuge(value) && (largest < 1e-4 || Number(fixed) === 0);
    const text = isLost ? String(short) : fixed;
    return Number(text) === value ? { text } : { text, full: String(value) };
  });
}

function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes("e-") ? Number.POSITIVE_INFINITY : (text.split(".")[1]?.length ?? 0);
}
