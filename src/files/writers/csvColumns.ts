import { dt, pl } from "../../frames/polars.js";
import { excelSafeColumn, excelSafeText } from "./excelSafe.js";
import { convertedColumns, type Dtype, withTextTimestamps } from "./textColumns.js";

/** Dtypes that polars writes to CSV as we want them. */
const UNCHANGED = /^(?:U?Int\d+|Float\d+|Bool|Date|Decimal|Null)$/;
const PLAIN_TEXT = /^(?:Utf8|String)$/;

/**
 * Expressions for those numbered columns of a frame that need a conversion to CSV fields: timestamps to text, lists and structs to
 * JSON.
 */
export function csvColumns(dtypes: readonly Dtype[], excelSafe: boolean): pl.Expr[] {
  const isSingle = dtypes.length === 1;
  const needsConversion = ({ variant }: Dtype) =>
    isSingle || !(UNCHANGED.test(variant) || (!excelSafe && PLAIN_TEXT.test(variant)));
  return convertedColumns(dtypes, needsConversion, (column, dtype) => {
    const field = csvColumn(withTextTimestamps(column, dtype), dtype, excelSafe);
    // A single empty field would be a blank line, which readers skip.
    return isSingle ? field.cast(pl.Utf8).fillNull(pl.lit("")) : field;
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
