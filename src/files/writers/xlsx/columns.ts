import { dateText, parseExact, stringifyExact } from "../../../frames/exactJson.js";
import { pl } from "../../../frames/polars.js";
import {
  booleanCell,
  type Cell,
  dateCell,
  decimalCell,
  floatCell,
  integerCell,
  isAddress,
  isTooLong,
  type LinkCell,
  textCell,
  wrappedCell,
} from "./cells.js";
import { STYLES } from "./parts.js";

const MIN_WIDTH = 8;
const MAX_WIDTH = 60;
/** Rows to measure. */
const SAMPLE_ROWS = 100;
/** A link is clicked, not read. */
const LINK_WIDTH = 30;
/** Space for the filter button. */
const BUTTON_WIDTH = 3;

/** A column of a sheet. */
export interface Column {
  readonly name: string;
  /**
   * The cells of a series, by row.
   *
   * @param onCut called for each text that does not fit into a cell
   */
  cells(series: pl.Series, onCut: () => void): (row: number) => Cell | LinkCell;
  /** The width of the widest value of a series, in characters. */
  width(series: pl.Series): number;
}

/** Converts values of a dtype to cells. */
interface Conversion<T> {
  read(series: pl.Series): (T | null)[];
  cell(value: T): Cell | LinkCell;
  /** The displayed width of a value, in characters. */
  width(value: T): number;
}

type ColumnOf = (name: string) => Column;

/** The column for a series. Dtypes without a counterpart in Excel become text, nested ones JSON text. */
export function columnOf({ name, dtype }: pl.Series): Column {
  const { variant, inner } = dtype as unknown as { variant: string; inner?: unknown };
  if (variant === "Datetime") return (Array.isArray(inner) && inner[1] ? utc : naive)(name);
  return (COLUMNS[variant] ?? nested)(name);
}

function column<T>({ read, cell, width }: Conversion<T>): ColumnOf {
  return (name) => ({
    name,
    cells(series, onCut) {
      const values = read(series);
      return (row) => {
        const value = values[row];
        if (value === null || value === undefined) return "";
        if (typeof value === "string" && isTooLong(value)) onCut();
        return cell(value);
      };
    },
    width(series) {
      let widest = 0;
      for (const value of read(series)) if (value !== null) widest = Math.max(widest, width(value));
      return widest;
    },
  });
}

const toValues = <T>(series: pl.Series) => series.toArray() as unknown as (T | null)[];
const length = (value: unknown): number => String(value).length;

/** The width of the longest line of a text. */
function textWidth(value: string): number {
  if (isAddress(value)) return Math.min(value.length, LINK_WIDTH);
  return value.includes("\n") ? Math.max(...value.split("\n", SAMPLE_ROWS).map(length)) : value.length;
}

const text = column<string>({ read: toValues, cell: wrappedCell, width: textWidth });
const integer = column<number | bigint>({ read: integers, cell: integerCell, width: length });
const float = column<number>({ read: toValues, cell: floatCell, width: length });
const boolean = column<boolean>({ read: toValues, cell: booleanCell, width: length });
const decimal = column<string>({ read: digits, cell: decimalCell, width: length });
const duration = column<string>({ read: durations, cell: textCell, width: length });
const nested = column<string>({ read: jsonTexts, cell: wrappedCell, width: length });

const utc = dates(STYLES.timestamp, 19, (iso) => iso);
const naive = dates(STYLES.timestamp, 19, (iso) => iso.replace("Z", ""));
const date = dates(STYLES.date, 10, (iso) => iso.replace(/T.*/, ""));

const COLUMNS: Readonly<Record<string, ColumnOf>> = {
  String: text,
  Utf8: text,
  Categorical: text,
  Time: text,
  Bool: boolean,
  Int8: integer,
  Int16: integer,
  Int32: integer,
  Int64: integer,
  UInt8: integer,
  UInt16: integer,
  UInt32: integer,
  UInt64: integer,
  Float32: float,
  Float64: float,
  Decimal: decimal,
  Date: date,
  Duration: duration,
};

/** A column of dates. Dates outside the range of Excel become text: `formatIso` of their ISO 8601 form. */
function dates(style: number, width: number, formatIso: (iso: string) => string): ColumnOf {
  const cell = (value: Date) => dateCell(value, style, () => formatIso(dateText(value) ?? ""));
  return column<Date>({ read: toValues, cell, width: () => width });
}

function integers(series: pl.Series): (number | bigint | null)[] {
  const values = toValues<number | bigint>(series);
  // polars rounds integers beyond 2^53, and never to a safe integer.
  const exact = values.every((value) => typeof value !== "number" || Number.isSafeInteger(value));
  return exact ? values : digits(series).map((value) => (value === null ? null : BigInt(value)));
}

function digits(series: pl.Series): (string | null)[] {
  return toValues(series.cast(pl.Utf8));
}

function durations(series: pl.Series): (string | null)[] {
  return toValues<number>(series.cast(pl.Duration("us"))).map((value) => (value === null ? null : durationText(value)));
}

/** Nested values as JSON, written by polars: toArray() would lose null structs and round large integers. */
function jsonTexts(series: pl.Series): (string | null)[] {
  const lines = pl
    .DataFrame([series.rename("v")])
    .writeJSON({ format: "lines" })
    .toString()
    .split("\n");
  return lines.slice(0, series.length).map((line) => {
    const { v } = parseExact(line) as { v: unknown };
    return v === null ? null : stringifyExact(v);
  });
}

/** The width of a column in characters, from its name and the first values of a series. */
export function columnWidth(column: Column, series: pl.Series): number {
  const sample = series.slice(0, Math.min(SAMPLE_ROWS, series.length));
  const widest = Math.max(column.name.length + BUTTON_WIDTH, column.width(sample) + 1);
  return Math.min(Math.max(widest, MIN_WIDTH), MAX_WIDTH);
}

/**
 * A duration as hours, minutes and seconds.
 *
 * @example
 * durationText(93_784_500_000); //=> "26:03:04.5"
 */
function durationText(microseconds: number): string {
  const absolute = Math.abs(microseconds);
  const seconds = Math.floor(absolute / 1e6);
  const two = (part: number) => String(part % 60).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
  const fraction = String(absolute % 1e6)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${microseconds < 0 ? "-" : ""}${clock}${fraction === "" ? "" : `.${fraction}`}`;
}
