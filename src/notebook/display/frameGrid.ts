import { oneOf } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toDataFrame } from "../../frames/toDataFrame.js";
import { pluralize } from "../../util/text.js";
import { type Cell, cellsOf } from "./cells.js";
import type { DisplaySettings } from "./displayOptions.js";

/** The visible part of a column. */
export interface GridColumn {
  readonly name: string;
  readonly dtype: string;
  /** Right-aligned if true. */
  readonly numeric: boolean;
  /** Of keywords in context: `left` ends at the keyword, and `keyword` is marked. */
  readonly context?: "left" | "keyword";
  /** The visible cells; null is a missing value. */
  readonly cells: readonly (Cell | null)[];
}

/** The visible part of a frame. */
export interface Grid {
  /** The size of the whole frame: `1,234 rows × 11 columns`. */
  readonly shape: string;
  readonly columns: readonly GridColumn[];
  readonly rows: number;
  /** Index of the visible row after the omitted ones; undefined if none is omitted. */
  readonly rowGap: number | undefined;
  /** Index of the visible column after the omitted ones; undefined if none is omitted. */
  readonly columnGap: number | undefined;
}

/** A frame or a series of either library as a polars frame; undefined for any other value. */
export function frameOf(value: unknown): { readonly frame: PolarsFrame; readonly isSeries: boolean } | undefined {
  // One of another copy of polars, too: this only calls its own methods.
  if (pl.DataFrame.isDataFrame(value)) return { frame: value, isSeries: false };
  if (pl.Series.isSeries(value)) return { frame: pl.DataFrame([value as pl.Series]), isSeries: true };
  return isDanfo(value) ? { frame: fromDanfo(value), isSeries: value.$isSeries } : undefined;
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

function fromDanfo(value: DanfoValue): PolarsFrame {
  // A column may have the name of a member of danfo and shadow it.
  const member = (name: string) => Reflect.get(Object.getPrototypeOf(value) as object, name, value) as unknown[];
  const names = member("columns").map(String);
  const rows = member("values").map((row) => (value.$isSeries ? [row] : (row as unknown[])));
  if (rows.length === 0) return pl.DataFrame(names.map((name) => pl.Series(name, [], pl.Utf8)));
  return toDataFrame(rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]]))));
}

/**
 * The column names, also of a frame from another copy of polars, where a column named `columns` or `getColumn` hides that member. Own keys
 * and their descriptors work for any name.
 */
export function columnNames(frame: PolarsFrame): string[] {
  return Reflect.ownKeys(frame) as string[];
}

/** One column, whatever its name. */
export function columnOf(frame: PolarsFrame, name: string): pl.Series {
  return Object.getOwnPropertyDescriptor(frame, name)?.value as pl.Series;
}

export function heightOf(frame: PolarsFrame): number {
  const [name] = columnNames(frame);
  return name === undefined ? 0 : columnOf(frame, name).length;
}

/** What to show of a frame; `isHead` takes the first rows only. */
type Part = Pick<DisplaySettings, "rows" | "columns"> & { readonly isSeries?: boolean; readonly isHead?: boolean };

export function gridOf(frame: PolarsFrame, { rows, columns, isSeries = false, isHead = false }: Part): Grid {
  const names = columnNames(frame);
  const height = heightOf(frame);
  const down = visible(height, rows ?? (height <= MAX_WHOLE ? MAX_WHOLE : EXCERPT), isHead);
  // A series shows its values, whatever columns are chosen.
  const chosen = typeof columns === "number" || isSeries ? undefined : columns;
  const across = visible(names.length, typeof columns === "number" ? columns : names.length);
  const shown =
    chosen?.map((name) => oneOf("columns", name, names)) ?? across.positions.map((at) => names[at] as string);
  return {
    shape: isSeries ? pluralize(height, "value") : shapeText(height, names.length, chosen?.length),
    columns: alignKeywords(shown.map((name) => gridColumn(columnOf(frame, name), name, down.positions))),
    rows: down.positions.length,
    rowGap: down.gap,
    columnGap: across.gap,
  };
}

/** By default, frames of up to 20 rows are shown whole, longer ones as 10 rows. */
const MAX_WHOLE = 20;
const EXCERPT = 10;

/** Up to `max` positions, half from the beginning and half from the end, and the index after which positions are omitted. */
function visible(
  length: number,
  max: number,
  isHead = false,
): { positions: readonly number[]; gap: number | undefined } {
  if (length <= max) return { positions: Array.from({ length }, (_, at) => at), gap: undefined };
  const gap = isHead ? max : Math.ceil(max / 2);
  return { positions: Array.from({ length: max }, (_, at) => (at < gap ? at : length - max + at)), gap };
}

/**
 * The size of a frame, and how many of its columns were chosen.
 *
 * @example
 * shapeText(1234, 11);    //=> "1,234 rows × 11 columns"
 * shapeText(1234, 11, 2); //=> "1,234 rows × 2 of 11 columns"
 */
function shapeText(rows: number, columns: number, chosen: number = columns): string {
  return `${pluralize(rows, "row")} × ${chosen === columns ? "" : `${chosen} of `}${pluralize(columns, "column")}`;
}

function gridColumn(column: pl.Series, name: string, rows: readonly number[]): GridColumn {
  const { dtype } = column;
  const numeric = /^(U?Int|Float|Decimal)/.test(dtype.variant);
  const cells = cellsOf(rows.length === column.length ? column : column.gather([...rows]));
  return { name, dtype: dtypeLabel(dtype), numeric, cells };
}

/** Aligns the columns of `kwic` at the keyword, also after further operations on the frame. */
function alignKeywords(columns: readonly GridColumn[]): readonly GridColumn[] {
  const at = columns.findIndex(({ name }) => name === "keyword");
  if (columns[at - 1]?.name !== "left" || columns[at + 1]?.name !== "right") return columns;
  return columns.map((column, index) => {
    if (index === at - 1) return { ...column, numeric: true, context: "left" };
    return index === at ? { ...column, context: "keyword" } : column;
  });
}

type PolarsDtype = pl.Series["dtype"];

const LABELS: Readonly<Record<string, string>> = { Categorical: "cat", String: "str", Utf8: "str" };

/**
 * The name of a dtype, as in polars' own tables. A datetime without a time zone is `datetime`.
 *
 * @example
 * dtypeLabel(pl.Datetime("us", "UTC"));  //=> "datetime[UTC]"
 * dtypeLabel(pl.List(pl.Int64));         //=> "list[i64]"
 */
function dtypeLabel(dtype: PolarsDtype): string {
  const { variant, timeZone, inner } = dtype as PolarsDtype & { timeZone?: unknown };
  if (variant === "Datetime") return timeZone ? `datetime[${String(timeZone)}]` : "datetime";
  if (variant === "List" || variant === "FixedSizeList") return `list[${dtypeLabel(inner?.[0] as PolarsDtype)}]`;
  if (variant === "Struct") return `struct[${(inner as unknown[] | null)?.length ?? 0}]`;
  return LABELS[variant] ?? variant.replace("UInt", "u").replace("Int", "i").replace("Float", "f").toLowerCase();
}
