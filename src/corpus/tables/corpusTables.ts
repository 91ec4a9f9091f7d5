import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { operations } from "../../service/operations/operations.js";
import { HIT_COLUMNS } from "./hitsTable.js";
import { columnsByPartition } from "./mentionsTable.js";
import { readTable, type SingleTable } from "./table.js";
import { DAY_COLUMNS, DECLARED, declaredColumns, haveSameColumns, type TableColumns } from "./tableColumns.js";
import { type PartitionedName, partitionPath, partitionsOf, type TableName, tableDirectory } from "./tablePaths.js";

const DAYS = DAY_COLUMNS.map((name) => [name, pl.Date] as const);
const HIVE: TableColumns = new Map([
  ["year", pl.Int64],
  ["month", pl.Int64],
]);

/** The columns that a table has in any case. */
export const COLUMNS: Readonly<Record<TableName, TableColumns>> = {
  mentions: new Map([...DECLARED, ...DAYS]),
  hits: HIT_COLUMNS,
  people: withResolved(operations.person.columns),
  programs: withResolved(operations.program.columns),
  searches: new Map(["search", "window", "query", "parameters"].map((name) => [name, pl.String])),
};

/** Every mention once: the columns of the service, `first_seen`, `changed`, `vanished`, and `year` and `month` of the directories. */
export function mentions(dir: string): LazyFrame {
  return scanPartitions(dir, "mentions");
}

/** Which search found which mention: `search`, `window`, `id`, `begintime`, `first_seen`, `vanished`, `year`, `month`. */
export function hits(dir: string): LazyFrame {
  return scanPartitions(dir, "hits");
}

/** One row per person ever looked up. */
export function people(dir: string): LazyFrame {
  return single(dir, "people");
}

/** One row per program ever looked up. */
export function programs(dir: string): LazyFrame {
  return single(dir, "programs");
}

/** One row per search and window. */
export function searches(dir: string): LazyFrame {
  return single(dir, "searches");
}

/** What happened since a day, for {@link changes}. */
const EVENTS = [
  ["added", "first_seen"],
  ["changed", "changed"],
  ["vanished", "vanished"],
] as const;

/**
 * The mentions that were added, changed or vanished on or after a day: columns `change` and `day`, then those of the mentions. A mention
 * with several changes has several rows.
 *
 * @param since a day in UTC, `2026-11-01`
 * @example
 * changes("inflation/", "2026-11-01").groupBy("change").len();
 */
export function changes(dir: string, since: string): PolarsFrame {
  const all = mentions(dir).drop("year", "month");
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

function scanPartitions(dir: string, name: PartitionedName): LazyFrame {
  const partitions = partitionsOf(dir, name);
  if (partitions.length === 0) return empty(new Map([...COLUMNS[name], ...HIVE])).lazy();
  const options = { glob: false, hivePartitioning: true, hiveSchema: { year: pl.Int64, month: pl.Int64 } };
  const scan = (path: string) => pl.scanParquet(path, options);
  if (name === "hits" || haveOneSchema(dir)) return scan(tableDirectory(dir, name));
  // A new column is being added to the files, one after the other.
  const scans = partitions.map((partition) => scan(partitionPath(dir, name, partition)));
  return pl.concat(scans, { how: "diagonalRelaxed" });
}

function haveOneSchema(dir: string): boolean {
  const [first, ...others] = [...columnsByPartition(dir).values()];
  return others.every((columns) =>
    haveSameColumns({ columns: [...columns.keys()], dtypes: [...columns.values()] }, first as TableColumns),
  );
}

function single(dir: string, name: SingleTable): LazyFrame {
  return (readTable(dir, name) ?? empty(COLUMNS[name])).lazy();
}

function empty(columns: TableColumns): PolarsFrame {
  const exprs = [...columns].map(([name, dtype]) => pl.lit(null).cast(dtype).alias(name));
  return pl
    .DataFrame({ none: pl.Series("none", [], pl.String) })
    .select(...exprs)
    .head(0);
}
