import type { PolarsFrame } from "../../frames/polars.js";
import type { MemberType } from "../../service/json/rowShape.js";
import type { OutputPath } from "../outputPath.js";
import type { SaveFormat } from "../saveFormat.js";

/** The columns of a file and what they hold, as `datapackage.json` says it. */
export interface TableSchema {
  readonly fields: ReadonlyArray<{ readonly name: string; readonly type: string }>;
  readonly missingValues: readonly string[];
  /**
   * "partial": rows as sent may have members that nobody has declared. "superset": columns of a dataset may stand in the names of
   * its folders instead of its files.
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

/** The schema of a file of frames. */
export function tableSchema(
  columns: readonly string[],
  dtypes: PolarsFrame["dtypes"],
  { format, formatOptions }: Pick<OutputPath, "format" | "formatOptions">,
): TableSchema {
  const fields = columns.map((name, at) => ({ name, type: typeOf(dtypes[at]?.variant ?? "") }));
  const match = formatOptions.partitionBy === undefined ? {} : { fieldsMatch: "superset" as const };
  return { fields, missingValues: missingIn(format), ...match };
}

const BY_KIND: Readonly<Record<string, string>> = {
  int: "integer",
  float: "number",
  bool: "boolean",
  datetime: "datetime",
};

/** The schema of a file of rows as they were sent: the members that are declared. */
export function declaredSchema(columns: Readonly<Record<string, MemberType>>): TableSchema {
  const fields = Object.entries(columns).map(([name, kind]) => ({ name, type: BY_KIND[kind] ?? "string" }));
  return { fields, missingValues: [""], fieldsMatch: "partial" };
}

function typeOf(variant: string): string {
  if (/^U?Int/.test(variant)) return "integer";
  return /^(Float|Decimal)/.test(variant) ? "number" : (BY_DTYPE[variant] ?? "string");
}

/** In text a missing value is nothing; an empty text is `""` in quotes there. */
function missingIn(format: SaveFormat): string[] {
  return format === "csv" ? [""] : [];
}
