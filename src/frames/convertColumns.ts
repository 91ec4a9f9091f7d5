import { parseTimestamp } from "../util/period.js";
import { type ColumnType, cellText, columnType, itemFlags, type StoredType } from "./dtypes.js";
import { parseExact, stringifyExact } from "./exactJson.js";
import { numberedColumns, selectColumns, TIMESTAMP_FORMAT, textSeries } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { resultFrame, TIMESTAMP } from "./resultFrame.js";

export interface Conversion {
  readonly name: string;
  readonly storedType: StoredType;
  readonly type: ColumnType;
  /** The type flags of its values, which determine the items of lists. */
  readonly flags: number;
}

/** Converts columns of a frame. */
export function convertColumns(frame: PolarsFrame, conversions: readonly Conversion[]): PolarsFrame {
  if (conversions.length === 0) return frame;
  const names = frame.columns;
  const numbered = numberedColumns(frame);
  const numbers = new Map(names.map((name, at) => [name, `c${at}`]));
  const columns = conversions.map((conversion) => ({ ...conversion, name: numbers.get(conversion.name) as string }));
  const texts = columns.flatMap((column) => {
    const toText = textConversion(column);
    return toText === undefined ? [] : textSeries(numbered.getColumn(column.name), toText);
  });
  const withTexts = texts.length > 0 ? numbered.withColumns(...texts) : numbered;
  const result = withTexts.withColumns(...columns.map(conversionExpr));
  result.columns = names;
  return result;
}

/** Rewrites values as the text that polars converts; undefined if polars converts the values themselves. */
function textConversion({ storedType, type, flags }: Conversion): ((value: unknown) => string | undefined) | undefined {
  // Numbers are formatted as JavaScript does; polars formats some differently.
  if (storedType === "float" && type === "string") return cellText;
  if (type === "datetime") return (text) => parseTimestamp(text as string);
  if (type !== "list" || itemType(flags) !== "string") return undefined;
  return (text) =>
    stringifyExact((parseExact(text as string) as unknown[]).map((item) => (item === null ? null : cellText(item))));
}

function conversionExpr({ name, storedType, type, flags }: Conversion): pl.Expr {
  const cells = pl.col(name);
  if (type === "list") return cells.str.jsonDecode(pl.List(DTYPES[itemType(flags)]));
  if (type === "datetime") return cells.str.strptime(pl.Datetime("ms"), "%+");
  return storedType === "datetime" ? cells.date.strftime(TIMESTAMP_FORMAT) : cells.cast(DTYPES[type]);
}

/** The type of list items. Lists of anything but numbers and booleans become lists of text. */
function itemType(flags: number): "int" | "float" | "bool" | "string" {
  const items = columnType(itemFlags(flags));
  return items === "list" || items === "datetime" ? "string" : items;
}

const DTYPES = { int: pl.Int64, float: pl.Float64, bool: pl.Bool, string: pl.Utf8, datetime: TIMESTAMP } as const;

/** A sample value of each type. A line of samples before the rows fixes the type that polars infers for every column. */
const SAMPLES = { string: "", int: 0, float: 0.5, bool: true } as const;

/** A frame of rows as lines of JSON, with the members `c0`, `c1`, … */
export function frameOfLines(
  columns: ReadonlyArray<{ readonly name: string; readonly type: keyof typeof SAMPLES }>,
  lines: readonly string[],
): PolarsFrame {
  if (columns.length === 0) return pl.DataFrame({});
  const template = `{${columns.map(({ type }, at) => `"c${at}":${JSON.stringify(SAMPLES[type])}`).join(",")}}\n`;
  const read = pl.readJSON(Buffer.from(template + lines.join("")), { format: "lines", inferSchemaLength: 1 });
  // polars may reorder more than 32 columns.
  const numbers = columns.map((_column, at) => `c${at}`);
  const frame = selectColumns(read.slice(1, read.height - 1), numbers);
  frame.columns = columns.map(({ name }) => name);
  return frame;
}

export interface EmptyColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** The type flags of its values, which determine the items of lists. */
  readonly flags?: number;
}

/** A frame without rows. */
export function emptyFrame(columns: readonly EmptyColumn[]): PolarsFrame {
  const dtypes = columns.map(({ type, flags = 0 }) =>
    type === "list" ? pl.List(DTYPES[itemType(flags)]) : DTYPES[type],
  );
  return resultFrame(columns.map(({ name }, at) => ({ name, values: [], dtype: dtypes[at] as typeof pl.Utf8 })));
}
