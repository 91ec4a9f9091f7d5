import type { pl } from "../../frames/polars.js";

/** The type of a polars column. */
export type PolarsDtype = pl.Series["dtype"];

// The spelling of polars' own tables.
const LABELS: Readonly<Record<string, string>> = {
  Bool: "bool",
  Categorical: "cat",
  Date: "date",
  Decimal: "decimal",
  Duration: "duration",
  Float32: "f32",
  Float64: "f64",
  Null: "null",
  Object: "object",
  String: "str",
  Time: "time",
  Utf8: "str",
};

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
  return LABELS[variant] ?? variant.replace("UInt", "u").replace("Int", "i");
}

/** Whether a dtype is numeric. */
export function isNumeric({ variant }: PolarsDtype): boolean {
  return /^(U?Int|Float|Decimal)/.test(variant);
}
