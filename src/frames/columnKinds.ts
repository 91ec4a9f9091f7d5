import type { LazyFrame, PolarsFrame } from "./polars.js";
import { columnsOfType } from "./polarsPlan.js";

/** What a column holds, as far as conditions are concerned. "utc": times in UTC with microseconds, as all of ours; "null": nothing. */
export type ColumnKind = "text" | "integer" | "unsigned" | "number" | "boolean" | "utc" | "time" | "null" | "other";

/** The kinds, as messages name them. */
export const KIND_NAMES: Readonly<Record<ColumnKind, string>> = {
  text: "text (String)",
  integer: "integers (Int)",
  unsigned: "integers (UInt)",
  number: "numbers (Float)",
  boolean: "true or false (Bool)",
  utc: "times (Datetime)",
  time: "times (Datetime or Date)",
  null: "nothing (Null)",
  other: "lists or other nested values",
};

/** The kind of each column of a frame, which is not run for that. */
export function columnKinds(frame: PolarsFrame | LazyFrame): ReadonlyMap<string, ColumnKind> {
  if (frame[Symbol.toStringTag as never] === "LazyDataFrame") return lazyKinds(frame as LazyFrame);
  const { columns, dtypes } = frame as PolarsFrame;
  return new Map(dtypes.map((dtype, at) => [columns[at] as string, kindOf(dtype)]));
}

function kindOf(dtype: PolarsFrame["dtypes"][number]): ColumnKind {
  const { variant } = dtype;
  if (/^(?:String|Utf8|Categorical|Enum)$/.test(variant)) return "text";
  if (/^U?Int/.test(variant)) return variant.startsWith("U") ? "unsigned" : "integer";
  if (/^(?:Float|Decimal)/.test(variant)) return "number";
  const { timeUnit, timeZone } = dtype as { readonly timeUnit?: string; readonly timeZone?: string };
  if (variant === "Datetime") return timeUnit === "us" && timeZone === "UTC" ? "utc" : "time";
  return ({ Bool: "boolean", Date: "time", Null: "null" } as const)[variant as "Bool"] ?? "other";
}

/** Later ones count. */
const SELECTORS: ReadonlyArray<readonly [ColumnKind, unknown]> = [
  ["text", { AnyOf: ["String"] }],
  ["text", "Categorical"],
  ["text", "Enum"],
  ["number", "Numeric"],
  ["integer", "SignedInteger"],
  ["unsigned", "UnsignedInteger"],
  ["boolean", { AnyOf: ["Boolean"] }],
  ["null", { AnyOf: ["Null"] }],
  ["time", "Temporal"],
  ["other", { AnyOf: ["Time"] }],
  ["utc", { AnyOf: [{ Datetime: ["Microseconds", { inner: "UTC" }] }] }],
];

function lazyKinds(frame: LazyFrame): ReadonlyMap<string, ColumnKind> {
  const kinds = new Map<string, ColumnKind>(frame.columns.map((name) => [name, "other"]));
  for (const [kind, type] of SELECTORS) for (const name of columnsOfType(frame, type)) kinds.set(name, kind);
  return kinds;
}
