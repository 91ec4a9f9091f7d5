import { dateText } from "../../../frames/cells.js";
import { parseExact, stringifyExact } from "../../../frames/exactJson.js";
import { pl } from "../../../frames/polars.js";
import { booleanCell, type Cell, dateCell, decimalCell, floatCell, integerCell, isCut, textCell } from "./cells.js";
import { durationText } from "./durationText.js";
import { STYLES } from "./styles.js";

/** A column of a sheet. */
export interface Column {
  readonly name: string;
  /**
   * The cells of a series, by row.
   *
   * @param onCut called for every text that is longer than a cell
   */
  cells(series: pl.Series, onCut: () => void): (row: number) => Cell;
  /** How many characters wide the widest value of a series is. */
  width(series: pl.Series): number;
}

/** How values of one kind become cells. */
interface Kind<T> {
  read(series: pl.Series): (T | null)[];
  cell(value: T): Cell;
  /** How many characters wide a value is shown. */
  width(value: T): number;
}

type ColumnOf = (name: string) => Column;

/** The column that a series begins. Types that Excel has nothing like become text, nested ones JSON text. */
export function columnOf({ name, dtype }: pl.Series): Column {
  const { variant, inner } = dtype as unknown as { variant: string; inner?: unknown };
  if (variant === "Datetime") return (Array.isArray(inner) && inner[1] ? utc : naive)(name);
  return (COLUMNS[variant] ?? nested)(name);
}

function column<T>({ read, cell, width }: Kind<T>): ColumnOf {
  return (name) => ({
    name,
    cells(series, onCut) {
      const values = read(series);
      return (row) => {
        const value = values[row];
        if (value === null || value === undefined) return "";
        if (typeof value === "string" && isCut(value)) onCut();
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

const plain = <T>(series: pl.Series) => series.toArray() as unknown as (T | null)[];
const length = (value: unknown): number => String(value).length;

const text = column<string>({ read: plain, cell: textCell, width: length });
const integer = column<number | bigint>({ read: integers, cell: integerCell, width: length });
const float = column<number>({ read: plain, cell: floatCell, width: length });
const boolean = column<boolean>({ read: plain, cell: booleanCell, width: length });
const decimal = column<string>({ read: digits, cell: decimalCell, width: length });
const duration = column<string>({ read: durations, cell: textCell, width: length });
const nested = column<string>({ read: jsonTexts, cell: textCell, width: length });

const utc = dates(STYLES.moment, 19, (iso) => iso);
const naive = dates(STYLES.moment, 19, (iso) => iso.replace("Z", ""));
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

/** A column of dates; one that Excel does not have is as much of the ISO text as `ofIso` leaves. */
function dates(style: number, width: number, ofIso: (iso: string) => string): ColumnOf {
  const cell = (value: Date) => dateCell(value, style, () => ofIso(dateText(value) ?? ""));
  return column<Date>({ read: plain, cell, width: () => width });
}

function integers(series: pl.Series): (number | bigint | null)[] {
  const values = plain<number | bigint>(series);
  // polars rounds what a number cannot hold; it is never rounded to what a number can.
  const exact = values.every((value) => typeof value !== "number" || Number.isSafeInteger(value));
  return exact ? values : digits(series).map((value) => (value === null ? null : BigInt(value)));
}

function digits(series: pl.Series): (string | null)[] {
  return plain(series.cast(pl.Utf8));
}

function durations(series: pl.Series): (string | null)[] {
  return plain<number>(series.cast(pl.Duration("us"))).map((value) => (value === null ? null : durationText(value)));
}

/** polars writes JSON itself: as JavaScript values, structs that are null would not be, and long numbers be rounded. */
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
