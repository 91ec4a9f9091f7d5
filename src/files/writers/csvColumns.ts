import { dt, pl } from "../../frames/polars.js";
import { excelSafeColumn, excelSafeText } from "./excelSafe.js";
import { type Dtype, textColumns } from "./textColumns.js";

/** Dtypes that polars writes to CSV as we want them. */
const UNCHANGED = /^(?:U?Int\d+|Float\d+|Bool|Date|Decimal|Null)$/;
const TEXT = /^(?:Utf8|String|Datetime)$/;

/**
 * Expressions that convert the numbered columns of a frame to CSV fields: timestamps to text, lists and structs to JSON.
 *
 * @param excelSafe see `FormatOptions`
 */
export function csvColumns(dtypes: readonly Dtype[], excelSafe: boolean): pl.Expr[] {
  const columns = textColumns(dtypes).map((column, at) => csvColumn(column, dtypes[at] as Dtype, excelSafe));
  // A single empty field would be a blank line, which readers skip.
  const filled = columns.length === 1 ? columns.map((column) => column.cast(pl.Utf8).fillNull(pl.lit(""))) : columns;
  return filled.map((column, at) => column.alias(`c${at}`));
}

function csvColumn(column: pl.Expr, { variant }: Dtype, excelSafe: boolean): pl.Expr {
  if (UNCHANGED.test(variant)) return column;
  const text = TEXT.test(variant) ? column : asText(column, variant);
  return excelSafe ? excelSafeColumn(text) : text;
}

function asText(column: pl.Expr, variant: string): pl.Expr {
  if (variant === "Categorical") return column.cast(pl.Utf8);
  if (variant === "Time") return dt(column).strftime("%H:%M:%S%.f");
  // In JSON, durations are ISO 8601 strings.
  const value = variant === "Duration" ? '"(.*)"' : "(.*)";
  const json = pl.struct([column.alias("v")]).struct.jsonEncode();
  const text = json.str.extract(`(?s)^\\{"v":${value}\\}$`, 1);
  return pl.when(column.isNull()).then(pl.lit(null)).otherwise(text);
}

/** The header line, without line end. */
export function csvHeader(names: readonly string[], excelSafe: boolean): string {
  return names.map((name) => headerField(excelSafe ? excelSafeText(name) : name)).join(",");
}

/** A name as a field of the header. */
export function headerField(name: string): string {
  // Readers strip unquoted white space at the ends, which includes a byte-order mark.
  return name === "" || /[",\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
