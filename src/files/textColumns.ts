import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";

/** RFC 4180. */
export const CSV_DIALECT = { separator: ",", quoteChar: '"', lineTerminator: "\r\n" };

type Schema = Pick<PolarsFrame, "columns" | "dtypes">;

/** Converts timestamps, lists and structs to text. */
export function csvRows(rows: LazyFrame, { columns, dtypes }: Schema, excelSafe = false): LazyFrame {
  return withColumns(rows, columns, csvColumns(dtypes, excelSafe), excelSafe ? excelSafeNames(columns) : columns);
}

/** Converts timestamps to text. */
export function jsonRows(rows: LazyFrame, { columns, dtypes }: Schema): LazyFrame {
  const converted = convertedColumns(dtypes, ({ variant }) => variant === "Datetime", withTextTimestamps);
  return withColumns(rows, columns, converted, columns);
}

/** Applies expressions, which refer to columns by number (`c0`) because polars takes some names for patterns; then renames all columns. */
function withColumns(
  rows: LazyFrame,
  names: readonly string[],
  converted: readonly pl.Expr[],
  renamed: readonly string[],
): LazyFrame {
  const numbered = rows.rename(Object.fromEntries(names.map((name, at) => [name, `c${at}`])));
  return numbered.withColumns(...converted).rename(Object.fromEntries(renamed.map((name, at) => [`c${at}`, name])));
}

const UNCHANGED = /^(?:U?Int\d+|Float\d+|Bool|Date|Decimal|Null)$/;
const PLAIN_TEXT = /^(?:Utf8|String)$/;

/** Expressions for the numbered columns of a frame that need a conversion for CSV: timestamps to text, lists and structs to JSON. */
function csvColumns(dtypes: readonly Dtype[], excelSafe: boolean): pl.Expr[] {
  const isSingle = dtypes.length === 1;
  const needsConversion = ({ variant }: Dtype) =>
    isSingle || !(UNCHANGED.test(variant) || (!excelSafe && PLAIN_TEXT.test(variant)));
  return convertedColumns(dtypes, needsConversion, (column, dtype) => {
    const field = csvColumn(withTextTimestamps(column, dtype), dtype, excelSafe);
    // A lone empty field is a blank line, which some readers skip. Text keeps its nulls, because `""` is an empty string.
    return isSingle && !PLAIN_TEXT.test(dtype.variant) ? field.cast(pl.Utf8).fillNull(pl.lit("")) : field;
  });
}

function csvColumn(column: pl.Expr, { variant }: Dtype, excelSafe: boolean): pl.Expr {
  if (UNCHANGED.test(variant)) return column;
  const isText = PLAIN_TEXT.test(variant) || variant === "Datetime";
  const text = isText ? column : asText(column, variant);
  return excelSafe ? excelSafeColumn(text) : text;
}

function asText(column: pl.Expr, variant: string): pl.Expr {
  if (variant === "Categorical") return column.cast(pl.Utf8);
  if (variant === "Time") return column.date.strftime("%H:%M:%S%.f");
  // In JSON, durations are ISO 8601 strings.
  const value = variant === "Duration" ? '"(.*)"' : "(.*)";
  const json = pl.struct([column.alias("v")]).struct.jsonEncode();
  const text = json.str.extract(`(?s)^\\{"v":${value}\\}$`, 1);
  return pl.when(column.isNull()).then(pl.lit(null)).otherwise(text);
}

/** Signs that begin a formula: `= + - @`, and all characters that NFKC maps to them. */
const SIGN = String.raw`=+\-@﬩﹢﹣﹦﹫＋－＝＠⁺⁻⁼₊₋₌`;
/** Characters at which some readers split: `;`, tabs, and line breaks in quoted fields. */
const BREAK = String.raw`;\p{Cc}\x{2028}\x{2029}`;
/** Characters that readers strip from the start of a cell. */
const IGNORED = String.raw`\s\p{Cc}\p{Cf}"`;

const FORMULA = `(^|[${BREAK}])([${IGNORED}]*)([${SIGN}])`;

/**
 * Escapes text so that no spreadsheet executes it: puts a `'` before each sign that begins a formula at the start of a cell, or where
 * some readers may split, and before text that begins with a control character.
 */
function excelSafeColumn(text: pl.Expr): pl.Expr {
  return text.str.replaceAll(FORMULA, "$1$2'$3").str.replace(String.raw`^\p{Cc}`, "'$0");
}

/** Escapes names of columns like text. */
function excelSafeNames(names: readonly string[]): string[] {
  const column = pl.DataFrame([pl.Series("name", names, pl.Utf8)]).select(excelSafeColumn(pl.col("name")));
  return [...column.getColumn("name").toArray()] as string[];
}

type Dtype = PolarsFrame["dtypes"][number];

/**
 * Expressions for the numbered columns that need a conversion. polars takes about a millisecond to create each one, more than for a
 * page of rows.
 */
function convertedColumns(
  dtypes: readonly Dtype[],
  needsConversion: (dtype: Dtype) => boolean,
  convert: (column: pl.Expr, dtype: Dtype) => pl.Expr,
): pl.Expr[] {
  return dtypes.flatMap((dtype, at) => {
    const name = `c${at}`;
    return needsConversion(dtype) ? [convert(pl.col(name), dtype).alias(name)] : [];
  });
}

const TIMESTAMP = "%Y-%m-%dT%H:%M:%S%.f";

/**
 * Timestamps as text: `2024-04-27T02:35:35Z`, with a fraction if there is one, and without Z if the column has no time zone. polars
 * itself writes dates, and timestamps within lists and structs.
 */
function withTextTimestamps(column: pl.Expr, dtype: Dtype): pl.Expr {
  if (dtype.variant !== "Datetime") return column;
  // polars declares the parameters of a dtype protected.
  const [, zone] = (dtype as unknown as { inner: [unit: string, zone?: string | null] }).inner;
  if (!zone) return column.date.strftime(TIMESTAMP);
  return (zone === "UTC" ? column : column.date.convertTimeZone("UTC")).date.strftime(`${TIMESTAMP}Z`);
}
