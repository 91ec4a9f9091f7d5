import type { PolarsFrame } from "../../frames/polars.js";
import type { MemberType } from "../../pages/rowShape.js";
import type { FormatOptions } from "../frameWriter.js";
import type { SaveFormat } from "../saveFormat.js";

/** The columns of a file and their types, in the notation of Data Package. */
export interface TableSchema {
  readonly fields: ReadonlyArray<{ readonly name: string; readonly type: string }>;
  readonly missingValues: readonly string[];
  /**
   * "partial": rows as the service sent them may have undeclared members. "superset": columns of a dataset may be in the names
   * of its directories instead of its files.
   */
  readonly fieldsMatch?: "partial" | "superset";
}

const BY_DTYPE: Readonly<Record<string, string>> = {
  Bool: "boolean",
  Date: "date",
  Datetime: "datetime",
  Duration: "duration",
  Time: "time",
  List: "array",
  Struct: "object",
};

/** The schema of a file that was written from frames. */
export function tableSchema(
  columns: readonly string[],
  dtypes: PolarsFrame["dtypes"],
  { format, formatOptions }: { readonly format: SaveFormat; readonly formatOptions: FormatOptions },
): TableSchema {
  const fields = columns.map((name, at) => ({ name, type: typeOf(dtypes[at]?.variant ?? "") }));
  const fieldsMatch = formatOptions.partitionBy === undefined ? {} : { fieldsMatch: "superset" as const };
  return { fields, missingValues: missingValuesOf(format), ...fieldsMatch };
}

const BY_MEMBER_TYPE: Readonly<Record<string, string>> = {
  int: "integer",
  float: "number",
  bool: "boolean",
  datetime: "datetime",
};

/** The schema of a file with rows as the service sent them: their declared members. */
export function declaredSchema(columns: Readonly<Record<string, MemberType>>): TableSchema {
  const fields = Object.entries(columns).map(([name, type]) => ({ name, type: BY_MEMBER_TYPE[type] ?? "string" }));
  return { fields, missingValues: [""], fieldsMatch: "partial" };
}

function typeOf(variant: string): string {
  if (/^U?Int/.test(variant)) return "integer";
  return /^(Float|Decimal)/.test(variant) ? "number" : (BY_DTYPE[variant] ?? "string");
}

/** In CSV a missing value is an empty field; an empty string is in quotes. */
function missingValuesOf(format: SaveFormat): string[] {
  return format === "csv" ? [""] : [];
}
