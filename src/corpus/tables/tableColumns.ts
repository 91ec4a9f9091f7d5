import { mapColumn, mapText, selectColumns, timestampText } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { cellText } from "../../frames/typeFlags.js";
import type { MemberType } from "../../pages/rows.js";
import { type DeclaredColumns, operations } from "../../service/operations/operations.js";

/** A dtype of polars. */
export type DataType = PolarsFrame["dtypes"][number];

/** The columns of a table and their dtypes, in order. */
export type TableColumns = ReadonlyMap<string, DataType>;

const DTYPES: Readonly<Record<MemberType, DataType>> = {
  int: pl.Int64,
  float: pl.Float64,
  bool: pl.Bool,
  string: pl.String,
  datetime: pl.Datetime("us", "UTC"),
  null: pl.String,
};

/** The columns of an operation, with the dtypes of their values. */
export function declaredColumns(columns: DeclaredColumns): TableColumns {
  return new Map(Object.entries(columns).map(([name, type]) => [name, DTYPES[type]]));
}

/** The columns of mentions that the service declares. `id` and `begintime` come first. */
export const DECLARED: TableColumns = declaredColumns(operations.mentions.columns);

/** The columns that a corpus adds to mentions: days in UTC. */
export const DAY_COLUMNS = ["first_seen", "changed", "vanished"] as const;

const STORED = new Set([pl.String, pl.Int64, pl.Float64, pl.Bool, DTYPES.datetime].map(String));
const NUMBERS = new Set([pl.Int64, pl.Float64].map(String));

/** Names that the corpus needs itself: its own columns, and those of the directories. Some readers ignore case. */
const TAKEN = new Set<string>([...DAY_COLUMNS, "year", "month"]);

/**
 * The rows with the names and dtypes that a table can hold: a name of the corpus gets a trailing `_`, lists and anything
 * else that is neither text, number, boolean nor timestamp becomes text.
 */
export function storable(frame: PolarsFrame): PolarsFrame {
  const names = frame.columns;
  const dtypes = frame.dtypes.map(String);
  const text = names.filter((_name, at) => !STORED.has(dtypes[at] as string));
  const result = text.reduce((rows, name) => mapText(rows, name, cellText), frame);
  if (!names.some((name) => isTaken(name))) return result;
  const renamed = result.clone();
  renamed.columns = names.map((name) => (isTaken(name) ? `${name}_` : name));
  return renamed;
}

function isTaken(name: string): boolean {
  return TAKEN.has(name.toLowerCase().replace(/(?<!_)_+$/, ""));
}

/** The columns of frames together: the declared ones first, the others by name, so that the order of the frames is irrelevant. */
export function unionColumns(all: Iterable<TableColumns>): TableColumns {
  const union = new Map<string, DataType>();
  for (const columns of all) {
    for (const [name, dtype] of columns) {
      const known = union.get(name);
      union.set(name, known === undefined ? dtype : wider(known, dtype));
    }
  }
  const names = [...union.keys()].filter((name) => !DECLARED.has(name)).sort();
  return new Map(
    [...DECLARED.keys(), ...names].map((name) => [name, union.get(name) ?? (DECLARED.get(name) as DataType)]),
  );
}

/** The columns of rows from the service, as {@link unionColumns} takes them. */
export function columnsOf(frame: PolarsFrame): TableColumns {
  const { dtypes } = frame;
  const names = frame.columns.filter((name) => !(DAY_COLUMNS as readonly string[]).includes(name));
  // Ids are always text, whatever the service sends.
  return new Map(names.map((name, at) => [name, name === "id" ? pl.String : (dtypes[at] as DataType)]));
}

function wider(a: DataType, b: DataType): DataType {
  if (String(a) === String(b)) return a;
  return NUMBERS.has(String(a)) && NUMBERS.has(String(b)) ? pl.Float64 : pl.String;
}

/** The frame with exactly these columns. Missing ones are null; a column with another dtype is widened, without loss. */
export function conform(frame: PolarsFrame, columns: TableColumns): PolarsFrame {
  if (haveSameColumns(frame, columns)) return frame;
  const present = new Map(frame.columns.map((name, at) => [name, frame.dtypes[at] as DataType]));
  let result = frame;
  for (const [name, dtype] of columns) {
    const own = present.get(name);
    if (own === undefined)
      result = result.withColumns(
        pl.Series(name, new Array(frame.height).fill(null), pl.String).cast(dtype).rename(name),
      );
    else if (String(own) !== String(dtype)) result = widened(result, name, String(own), dtype);
  }
  return selectColumns(result, [...columns.keys()]);
}

/** Whether a frame has exactly these columns, in order. */
export function haveSameColumns(frame: Pick<PolarsFrame, "columns" | "dtypes">, columns: TableColumns): boolean {
  const { columns: names, dtypes } = frame;
  if (names.length !== columns.size) return false;
  return [...columns].every(([name, dtype], at) => name === names[at] && String(dtype) === String(dtypes[at]));
}

function widened(frame: PolarsFrame, name: string, own: string, dtype: DataType): PolarsFrame {
  if (String(dtype) === String(pl.Float64) || own === String(pl.Int64))
    return mapColumn(frame, name, (column) => column.cast(dtype));
  if (own.includes("Datetime")) return mapColumn(frame, name, timestampText);
  return mapText(frame, name, cellText);
}
