import { oneOf } from "../../errors/validators.js";
import type { pl } from "../../frames/polars.js";
import { pluralize } from "../../util/counts.js";
import { clip, clipStart } from "../../util/quoted.js";
import { alignedLines } from "../../util/tableLines.js";
import type { DisplaySettings } from "./displayOptions.js";
import { printable } from "./displayText.js";

/** A value, formatted for display. */
export interface Cell {
  readonly text: string;
  /** The full value if the text is shortened, for example all digits of a number. */
  readonly full?: string;
}

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

/** The visible part of a frame of either library. */
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

/** A frame or series of either library, for display. */
export interface Table {
  readonly names: readonly string[];
  readonly height: number;
  /** A series shows its values, whatever columns are chosen. */
  readonly isSeries: boolean;
  /** The cells of a column, by its index, at some rows. */
  column(at: number, rows: readonly number[]): GridColumn;
  /** The labels of the rows, unless they are just row numbers. */
  index?(rows: readonly number[]): GridColumn | undefined;
}

/**
 * The visible part of a table.
 *
 * @param isHead whether to show the first rows only
 */
export function gridOf(table: Table, { rows, columns }: DisplaySettings, isHead: boolean = false): Grid {
  const { names, height, isSeries } = table;
  const down = rowWindow(height, rows, isHead);
  const across = columnWindow(names, isSeries ? 1 : columns);
  const index = table.index?.(down.positions);
  const shown = alignKeywords(across.shown.map((name) => table.column(names.indexOf(name), down.positions)));
  return {
    shape: isSeries ? pluralize(height, "value") : shapeText(height, names.length, columns),
    columns: index === undefined ? shown : [index, ...shown],
    rows: down.positions.length,
    rowGap: down.gap,
    columnGap: across.gap === undefined || index === undefined ? across.gap : across.gap + 1,
  };
}

/** Visible positions, and the index after which positions are omitted. */
interface VisibleRange {
  readonly positions: readonly number[];
  readonly gap: number | undefined;
}

/** By default, frames of up to 20 rows are shown whole, longer ones as 10 rows. */
const MAX_WHOLE = 20;
const EXCERPT = 10;

/** The visible rows of a frame: the first and the last ones, or only the first. */
function rowWindow(length: number, max: number | undefined, isHead: boolean): VisibleRange {
  if (isHead && max !== undefined && max < length) return { ...firstAndLast(max, max), gap: max };
  return firstAndLast(length, max ?? (length <= MAX_WHOLE ? MAX_WHOLE : EXCERPT));
}

/** The names of the columns to show, and the index after which columns are omitted. */
function columnWindow(
  names: readonly string[],
  columns: number | readonly string[],
): { readonly shown: readonly string[]; readonly gap: number | undefined } {
  if (typeof columns !== "number")
    return { shown: columns.map((name) => oneOf("columns", name, names)), gap: undefined };
  const { positions, gap } = firstAndLast(names.length, columns);
  return { shown: positions.map((at) => names[at] as string), gap };
}

/** Up to `max` positions, half from the beginning and half from the end. */
function firstAndLast(length: number, max: number): VisibleRange {
  if (length <= max) return { positions: Array.from({ length }, (_, at) => at), gap: undefined };
  const gap = Math.ceil(max / 2);
  const positions = Array.from({ length: max }, (_, at) => (at < gap ? at : length - max + at));
  return { positions, gap };
}

/**
 * The size of a frame, and how many of its columns were chosen.
 *
 * @example
 * shapeText(1234, 11);                     //=> "1,234 rows × 11 columns"
 * shapeText(1234, 11, ["person", "text"]); //=> "1,234 rows × 2 of 11 columns"
 */
export function shapeText(rows: number, columns: number, chosen?: number | readonly string[]): string {
  const isPart = typeof chosen === "object" && chosen.length !== columns;
  return `${pluralize(rows, "row")} × ${isPart ? `${chosen.length} of ` : ""}${pluralize(columns, "column")}`;
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
export function dtypeLabel(dtype: PolarsDtype): string {
  const { variant, timeZone, inner } = dtype as PolarsDtype & { timeZone?: unknown };
  if (variant === "Datetime") return timeZone ? `datetime[${String(timeZone)}]` : "datetime";
  if (variant === "List" || variant === "FixedSizeList") return `list[${dtypeLabel(inner?.[0] as PolarsDtype)}]`;
  if (variant === "Struct") return `struct[${(inner as unknown[] | null)?.length ?? 0}]`;
  return LABELS[variant] ?? variant.replace("UInt", "u").replace("Int", "i").replace("Float", "f").toLowerCase();
}

export function isNumeric({ variant }: PolarsDtype): boolean {
  return /^(U?Int|Float|Decimal)/.test(variant);
}

/** Size limits of a text table. */
interface TextBounds {
  readonly columns: number;
  readonly width: number;
}

/** A grid as plain text, for consoles and for viewers without HTML. */
export function gridText(grid: Grid, note: string | undefined, { columns: maxColumns, width }: TextBounds): string {
  const across = textColumns(grid, maxColumns);
  const shown = across.columns.map(({ name, dtype, numeric, cells, context }) => {
    const shorten = context === "left" ? clipStart : clip;
    const texts = Array.from({ length: grid.rows }, (_, row) => printable(shorten(cells[row]?.text ?? "null", width)));
    return { lines: [printable(clip(name, width)), printable(dtype), ...insertAt(texts, grid.rowGap, "…")], numeric };
  });
  const gap = across.gap ?? grid.columnGap;
  const count = 2 + grid.rows + (grid.rowGap === undefined ? 0 : 1);
  const table = insertAt(shown, gap, { lines: new Array<string>(count).fill("…"), numeric: false });
  return [grid.shape, ...alignedLines(table), ...(note === undefined ? [] : [printable(note)])].join("\n");
}

/** Ids, links and pictures, which are of little use to a reader. */
const REFERENCE = /(?:id|link|path)$/i;

/** The columns that fit: ids and links come last. */
function textColumns(
  { columns, columnGap }: Grid,
  max: number,
): { columns: readonly GridColumn[]; gap: number | undefined } {
  if (columns.length <= max || columnGap !== undefined) {
    const { positions, gap } = firstAndLast(columns.length, max);
    return { columns: positions.map((at) => columns[at] as GridColumn), gap };
  }
  const isReference = ({ name }: GridColumn) => REFERENCE.test(name);
  const sorted = [...columns.filter((column) => !isReference(column)), ...columns.filter(isReference)];
  return { columns: sorted.slice(0, max), gap: max };
}

/** The list with an item inserted at `index`; unchanged if `index` is undefined. */
export function insertAt<T>(items: readonly T[], index: number | undefined, item: T): T[] {
  return index === undefined ? [...items] : [...items.slice(0, index), item, ...items.slice(index)];
}
