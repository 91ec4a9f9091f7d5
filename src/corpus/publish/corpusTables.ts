import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import type { MemberType } from "../../pages/rows.js";
import { type DeclaredColumns, operations } from "../../service/operations/operations.js";
import { filesOf, isPartitioned, readTable, scanFiles, type TableName } from "./tableFiles.js";

/** A dtype of polars. */
type DataType = PolarsFrame["dtypes"][number];

/** The columns of a table and their dtypes, in order. */
type TableColumns = ReadonlyMap<string, DataType>;

const DTYPES: Readonly<Record<MemberType, DataType>> = {
  int: pl.Int64,
  float: pl.Float64,
  bool: pl.Bool,
  string: pl.String,
  datetime: TIMESTAMP,
  null: pl.String,
};

function declaredColumns(columns: DeclaredColumns): TableColumns {
  return new Map(Object.entries(columns).map(([name, type]) => [name, DTYPES[type]]));
}

/** The name of a dtype, without its class: `Int64`. */
export function dtypeName(dtype: unknown): string {
  return /^DataType\((.*)\)$/s.exec(String(dtype))?.[1] ?? String(dtype);
}

const DAYS = ["first_seen", "changed", "vanished"].map((name) => [name, pl.Date] as const);

/** The columns that a table has in any case. */
export const COLUMNS: Readonly<Record<TableName, TableColumns>> = {
  mentions: new Map<string, DataType>([...declaredColumns(operations.mentions.columns), ...DAYS, ["round", pl.Int32]]),
  hits: new Map<string, DataType>([
    ...["search", "span", "id"].map((name) => [name, pl.String] as const),
    ["begintime", TIMESTAMP],
    ["first_seen", pl.Date],
    ["vanished", pl.Date],
    ["round", pl.Int32],
  ]),
  people: withResolved(operations.person.columns),
  programs: withResolved(operations.program.columns),
  searches: new Map(["search", "span", "query", "parameters"].map((name) => [name, pl.String])),
  runs: new Map([["verb", pl.String]]),
};

/** A table. Those of one file are read at once: a run may replace it. */
export function corpusTable(dir: string, name: TableName): LazyFrame {
  const table = isPartitioned(name) ? scanFiles(dir, filesOf(dir, name)) : readTable(dir, name as "people")?.lazy();
  return table ?? emptyTable(COLUMNS[name]).lazy();
}

function withResolved(columns: DeclaredColumns): TableColumns {
  return new Map([...declaredColumns(columns), ["resolved", pl.Bool], ["looked_up", pl.Date]]);
}

/** A table without rows. */
export function emptyTable(columns: TableColumns): PolarsFrame {
  return resultFrame([...columns].map(([name, dtype]) => ({ name, values: [], dtype })));
}
