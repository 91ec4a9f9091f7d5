import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import { operations } from "../../service/operations/operations.js";
import { readTable } from "./table.js";
import { DAY_COLUMNS, type DataType, DECLARED, declaredColumns, type TableColumns } from "./tableColumns.js";
import { isPartitioned, scanTable, type TableName } from "./tablePaths.js";

const DAYS = DAY_COLUMNS.map((name) => [name, pl.Date] as const);

/** The columns that a table has in any case. */
export const COLUMNS: Readonly<Record<TableName, TableColumns>> = {
  mentions: new Map([...DECLARED, ...DAYS]),
  hits: new Map<string, DataType>([
    ...["search", "window", "id"].map((name) => [name, pl.String] as const),
    ["begintime", TIMESTAMP],
    ["first_seen", pl.Date],
    ["vanished", pl.Date],
  ]),
  people: withResolved(operations.person.columns),
  programs: withResolved(operations.program.columns),
  searches: new Map(["search", "window", "query", "parameters"].map((name) => [name, pl.String])),
};

/** A table. Those of one file are read at once: a run may replace it. */
export function corpusTable(dir: string, name: TableName): LazyFrame {
  const table = isPartitioned(name) ? scanTable(dir, name) : readTable(dir, name)?.lazy();
  return table ?? emptyTable(COLUMNS[name]).lazy();
}

/** What happened since a day, for {@link changes}. */
const EVENTS = [
  ["added", "first_seen"],
  ["changed", "changed"],
  ["vanished", "vanished"],
] as const;

/** See `corpus.changes`. */
export function changes(dir: string, since: string): PolarsFrame {
  const all = corpusTable(dir, "mentions");
  const day = pl.lit(since).str.strptime(pl.Date, "%Y-%m-%d");
  const parts = EVENTS.map(([change, column]) =>
    all
      .filter(pl.col(column).gtEq(day))
      .select(pl.lit(change).alias("change"), pl.col(column).alias("day"), pl.col("*"))
      .collectSync(),
  ) as PolarsFrame[];
  return pl.concat(parts, { how: "diagonal" }).sort(["day", "change", "begintime", "id"]);
}

function withResolved(columns: Parameters<typeof declaredColumns>[0]): TableColumns {
  return new Map([...declaredColumns(columns), ["resolved", pl.Bool]]);
}

/** A table without rows. */
export function emptyTable(columns: TableColumns): PolarsFrame {
  return resultFrame([...columns].map(([name, dtype]) => ({ name, values: [], dtype })));
}
