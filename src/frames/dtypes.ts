import { numberedColumns, selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

type Dtype = PolarsFrame["dtypes"][number];

const SCALARS =
  "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Bool String Categorical Date Time".split(" ");

/** The names of the dtypes of a frame: `Int64`, `Datetime(us,UTC)`, `List(Float64)`. */
export function dtypeNames(frame: PolarsFrame): string[] {
  return frame.dtypes.map((dtype, at) => {
    if (dtype.variant !== "Duration") return dtypeName(String(dtype));
    // The dtype of every duration is called Duration(ms).
    const shown = String(selectColumns(numberedColumns(frame).head(0), [`c${at}`]));
    return `Duration(${/duration\[(.)s\]/.exec(shown)?.[1]?.replace("μ", "u")}s)`;
  });
}

function dtypeName(text: string): string {
  const name = /^DataType\((.*)\)$/s.exec(text)?.[1] ?? text;
  const items = /^List\((.*)\)$/s.exec(name)?.[1];
  return items === undefined ? name : `List(${dtypeName(items)})`;
}

/** The dtype of a name; undefined if it is none that a frame can be cast to. */
export function dtypeNamed(name: string): Dtype | undefined {
  if (SCALARS.includes(name)) return pl[name as "Int8"] as unknown as Dtype;
  const [, kind, unit, zone] = /^(Datetime|Duration)\((ms|us|ns)(?:,([\w/+-]*))?\)$/.exec(name) ?? [];
  if (kind === "Duration") return pl.Duration(unit as "ms");
  if (kind === "Datetime") return pl.Datetime(unit as "ms", zone || undefined);
  const [, items] = /^List\((.*)\)$/s.exec(name) ?? [];
  const inner = items === undefined ? undefined : dtypeNamed(items);
  return inner && pl.List(inner);
}

/**
 * Casts columns to dtypes that they had before. A cast that does not fit leaves its columns as they are.
 *
 * @param names of dtypes, by column; undefined for those that stay
 */
export function withDtypes(frame: PolarsFrame, names: ReadonlyArray<string | undefined>): PolarsFrame {
  const result = numberedColumns(frame);
  const cast = dtypeNames(frame).flatMap((from, at) => {
    const to = names[at] ?? from;
    const dtype = from === to ? undefined : dtypeNamed(to);
    return dtype === undefined ? [] : castOrSame(result.getColumn(`c${at}`), from, dtype);
  });
  const all = cast.length === 0 ? result : result.withColumns(...cast);
  all.columns = frame.columns;
  return all;
}

function castOrSame(column: pl.Series, from: string, dtype: Dtype): pl.Series {
  try {
    const isJson = from === "String" && dtype.variant === "List";
    return isJson ? column.str.jsonDecode(dtype).rename(column.name) : column.cast(dtype, true);
  } catch {
    // A value does not fit.
    return column;
  }
}
