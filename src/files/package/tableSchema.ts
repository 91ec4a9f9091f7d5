import { dtypeNames } from "../../frames/dtypes.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { type Field, nonDefaultDtype } from "../../tables/fields.js";
import type { SaveFormat } from "../saveFormat.js";

/** The columns of a file and their types, as a Data Package table schema. */
export interface TableSchema {
  readonly fields: readonly Field[];
  readonly missingValues: readonly string[];
  /** Rows as sent by the service may have undeclared members. */
  readonly fieldsMatch?: "partial";
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

export function tableSchema(frame: PolarsFrame, format: SaveFormat): TableSchema {
  const { columns, dtypes } = frame;
  const names = dtypeNames(frame);
  const fields = columns.map((name, at) => {
    const type = fieldType(dtypes[at]?.variant ?? "");
    return { name, type, ...nonDefaultDtype(type, names[at] ?? "") };
  });
  // In CSV a missing value is an empty field; an empty string is in quotes.
  return { fields, missingValues: format === "csv" ? [""] : [] };
}

/** The schema of a file with rows as sent by the service. @param declared a frame with the declared columns */
export function sentRowsSchema(declared: PolarsFrame): TableSchema {
  const { fields } = tableSchema(declared, "json");
  return { fields, missingValues: [""], fieldsMatch: "partial" };
}

/** The Data Package type of a polars dtype, by its variant: "Int64". */
export function fieldType(variant: string): string {
  if (/^U?Int/.test(variant)) return "integer";
  return /^(Float|Decimal)/.test(variant) ? "number" : (BY_DTYPE[variant] ?? "string");
}
