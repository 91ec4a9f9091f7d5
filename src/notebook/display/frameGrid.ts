import { inspect } from "node:util";
import { dateText, stringifyExact } from "../../frames/exactJson.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { type Cell, dtypeLabel, isNumeric, type Table } from "./grid.js";

/** Timestamps without zone; the dtype shows it. */
const TIMESTAMP_FORMAT = "%Y-%m-%d %H:%M:%S%.f";

/** The table of a frame or series; undefined for any other value. */
export function tableOf(value: unknown): Table | undefined {
  // One of another copy of polars, too: this only calls its own methods.
  if (pl.DataFrame.isDataFrame(value)) return polarsTable(columnNames(value), (name) => columnOf(value, name), false);
  if (pl.Series.isSeries(value)) return polarsTable([value.name], () => value as pl.Series, true);
  return isDanfo(value) ? danfoTable(value) : undefined;
}

function polarsTable(names: readonly string[], seriesOf: (name: string) => pl.Series, isSeries: boolean): Table {
  return {
    names,
    height: names[0] === undefined ? 0 : seriesOf(names[0]).length,
    isSeries,
    column(at, rows) {
      const name = names[at] as string;
      const whole = seriesOf(name);
      const series = rows.length === whole.length ? whole : whole.gather([...rows]);
      const { dtype } = series;
      return { name, dtype: dtypeLabel(dtype), numeric: isNumeric(dtype), cells: polarsCells(series, name) };
    },
  };
}

function polarsCells(series: pl.Series, name: string): Array<Cell | null> {
  const { variant } = series.dtype;
  try {
    if (variant === "Duration") return [...series.cast(pl.Duration("us")).toArray()].map(durationCell);
    const values = polarsValues(series, TIMESTAMP_FORMAT);
    return values.map(variant.startsWith("Float") ? floatCells(values, name) : valueCell);
  } catch {
    // The dtype has no JavaScript values: only mark which cells are not null.
    return [...series.isNull().toArray()].map((missing) => (missing ? null : { text: "?" }));
  }
}

function danfoTable(value: DanfoValue): Table {
  const isSeries = value.$isSeries;
  const names = danfoMember(value, "columns") as readonly string[];
  const dtypes = danfoMember(value, "dtypes") as readonly string[];
  const values = danfoMember(value, "values") as readonly unknown[];
  const labels = danfoMember(value, "index") as readonly unknown[];
  return {
    names,
    height: values.length,
    isSeries,
    column(at, rows) {
      const name = String(names[at]);
      const dtype = dtypes[at] ?? "";
      const own = rows.map((row) => (isSeries ? values[row] : (values[row] as unknown[])[at]));
      const cells = own.map(dtype.startsWith("float") ? floatCells(own, name) : valueCell);
      return { name, dtype, numeric: /^(int|float)/.test(dtype), cells };
    },
    index(rows) {
      if (rows.every((row) => labels[row] === row)) return undefined;
      return { name: "", dtype: "index", numeric: false, cells: rows.map((row) => valueCell(labels[row])) };
    },
  };
}

/** A danfo frame or series, identified by shape: danfo is optional, and a notebook may load another copy of it. */
interface DanfoValue {
  readonly $isSeries: boolean;
}

function isDanfo(value: unknown): value is DanfoValue {
  if (typeof value !== "object" || value === null) return false;
  const { $isSeries, $columns } = value as { $isSeries?: unknown; $columns?: unknown };
  return typeof $isSeries === "boolean" && Array.isArray($columns);
}

/** Reads a built-in member of danfo, even if a column of the same name shadows it. */
function danfoMember(value: DanfoValue, name: "columns" | "dtypes" | "values" | "index"): unknown {
  return Reflect.get(Object.getPrototypeOf(value) as object, name, value);
}

/**
 * The column names. A frame is a proxy that returns a column even for `columns` or `getColumn` if one has that name, and names
 * come from the wire. Own keys and their descriptors work for any name.
 */
export function columnNames(frame: PolarsFrame): string[] {
  return Reflect.ownKeys(frame) as string[];
}

/** One column, whatever its name. */
export function columnOf(frame: PolarsFrame, name: string): pl.Series {
  return Object.getOwnPropertyDescriptor(frame, name)?.value as pl.Series;
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

/** Formats a value as a cell; null for a missing value. Nested values become JSON. */
function valueCell(value: unknown): Cell | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return { text: value };
  if (value instanceof Date) return { text: (dateText(value) ?? "invalid date").replace("T", " ").replace("Z", "") };
  return { text: typeof value === "object" ? jsonText(value) : String(value) };
}

/** Formats a duration as days and time: `27 d 02:42:09.250`. */
function durationCell(microseconds: number | null): Cell | null {
  if (microseconds === null) return null;
  const milliseconds = Math.floor(Math.abs(microseconds) / 1000);
  const days = Math.floor(milliseconds / 86_400_000);
  const time = new Date(milliseconds % 86_400_000).toISOString().slice(11, 23).replace(".000", "");
  return { text: `${microseconds < 0 ? "-" : ""}${days > 0 ? `${days} d ` : ""}${time}` };
}

/** Names of columns of p values. */
const PROBABILITY = /^p$|^p_|_p$/;

/** Formats the floats of a column with few digits. If that loses any, `full` has all of them. */
function floatCells(column: readonly unknown[], name: string): (value: unknown) => Cell | null {
  const whole = column.every(
    (value) => typeof value !== "number" || !Number.isFinite(value) || Number.isInteger(value),
  );
  return (value) => {
    if (typeof value !== "number") return valueCell(value);
    if (PROBABILITY.test(name) && value >= 0 && value < 0.001) return { text: "< 0.001", full: String(value) };
    const text = floatText(value, whole);
    return Number(text) === value || !Number.isFinite(value) ? { text } : { text, full: String(value) };
  };
}

/**
 * A float with three significant digits, and with all digits before the point.
 *
 * @param whole whether all values of the column are whole numbers, as counts are
 * @example
 * floatText(13.292434, false); //=> "13.3"
 * floatText(1234.5, false);    //=> "1235"
 * floatText(2, true);          //=> "2"
 * floatText(2, false);         //=> "2.0"
 * floatText(1.5e-7, false);    //=> "1.5e-7"
 */
function floatText(value: number, whole: boolean): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return Number(value.toPrecision(3)).toExponential();
  if (whole || size >= 100) return value.toFixed(0);
  const text = String(Number(value.toPrecision(3)));
  return text.includes(".") ? text : `${text}.0`;
}

function jsonText(value: object): string {
  try {
    return stringifyExact(value) ?? inspect(value);
  } catch {
    // Circular, or its toJSON() throws.
    return inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  }
}
