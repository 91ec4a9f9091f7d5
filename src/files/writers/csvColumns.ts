import { pl } from "../../frames/polars.js";
import { excelSafeColumn, excelSafeText } from "./excelSafe.js";
import { type Dtype, textColumns } from "./textColumns.js";

/** What polars writes into a CSV by itself, as it is to be. */
const PLAIN = /^(?:U?Int\d+|Float\d+|Bool|Date|Decimal|Null)$/;
const TEXT = /^(?:Utf8|String|Datetime)$/;

/**
 * For each column of a frame with plain names the expression that gives it as a CSV holds it: moments as text, lists and
 * structs as JSON.
 *
 * @param excelSafe see `FileLook`
 */
export function csvColumns(dtypes: readonly Dtype[], excelSafe: boolean): pl.Expr[] {
  const columns = textColumns(dtypes).map((column, at) => csvColumn(column, dtypes[at] as Dtype, excelSafe));
  // An empty field alone in its line would be a blank line, which readers skip.
  const filled = columns.length === 1 ? columns.map((column) => column.cast(pl.Utf8).fillNull(pl.lit(""))) : columns;
  return filled.map((column, at) => column.alias(`c${at}`));
}

function csvColumn(column: pl.Expr, { variant }: Dtype, excelSafe: boolean): pl.Expr {
  if (PLAIN.test(variant)) return column;
  const text = TEXT.test(variant) ? column : asText(column, variant);
  return excelSafe ? excelSafeColumn(text) : text;
}

function asText(column: pl.Expr, variant: string): pl.Expr {
  if (variant === "Categorical") return column.cast(pl.Utf8);
  if (variant === "Time") return column.date.strftime("%H:%M:%S%.f");
  // JSON has durations as ISO 8601 text, in quotes.
  const value = variant === "Duration" ? '"(.*)"' : "(.*)";
  const json = pl.struct([column.alias("v")]).struct.jsonEncode();
  const text = json.str.extract(`(?s)^\\{"v":${value}\\}$`, 1);
  return pl.when(column.isNull()).then(pl.lit(null)).otherwise(text);
}

/** The first line of a CSV, without its end. */
export function csvHeader(names: readonly string[], excelSafe: boolean): string {
  return names.map((name) => quoted(excelSafe ? excelSafeText(name) : name)).join(",");
}

function quoted(name: string): string {
  // White space at the ends, to which a byte-order mark belongs, is lost on readers, unless in quotes.
  return name === "" || /[",\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
