import { join } from "node:path";
import { dt, type PolarsFrame, pl } from "../../frames/polars.js";
import { readPart, writePart } from "./parquetPart.js";
import { NULL_PARTITION, type PartitionedName, partitionPath, partitionsOf, tableDirectory } from "./tablePaths.js";

/**
 * A table with one file per month. Inside, its rows have the columns that {@link open} gives them, so that names from the
 * service never reach an expression of polars.
 */
export interface PartitionedTable {
  readonly dir: string;
  readonly name: PartitionedName;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** The columns of the rows inside. */
  readonly columns: readonly string[];
  /** The order of the rows of a file. */
  readonly order: readonly pl.Expr[];
  /** The rows of a file, with the columns inside. */
  open(frame: PolarsFrame): PolarsFrame;
  /** The rows as they go into a file. */
  close(frame: PolarsFrame): PolarsFrame;
}

/** The column that holds the partition of a row. */
export const PARTITION = "partition";

/** Without `glob`: the path of the corpus may contain brackets. */
const SCAN = { glob: false, hivePartitioning: false };

const NO_PARTITION = `year=${NULL_PARTITION}/month=${NULL_PARTITION}`;

/** The partition of a timestamp: `year=2024/month=03`. */
export function partitionOf(time: pl.Expr): pl.Expr {
  return dt(time).strftime("year=%Y/month=%m").fillNull(pl.lit(NO_PARTITION)).alias(PARTITION);
}

/** Ids in the order of their numbers, without loss of precision: they are text. */
export function idOrder(column: string): pl.Expr[] {
  const text = pl.col(column).cast(pl.String);
  return [text.str.lengths(), text];
}

/** Reads the rows of a partition; undefined if it has no file. */
export function readPartition(table: PartitionedTable, partition: string): PolarsFrame | undefined {
  try {
    return table.open(readPart(tableDirectory(table.dir, table.name), `${partition}/part.parquet`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces the file of a partition. */
export function writePartition(table: PartitionedTable, partition: string, rows: PolarsFrame): Promise<void> {
  const sorted = rows.select(...table.columns).sort([...table.order]);
  return writePart(table.dir, partitionPath(table.dir, table.name, partition), table.close(sorted));
}

/** A lazy frame over all files of a table; undefined if there are none. All files have the same columns. */
export function scanFiles({ dir, name }: Pick<PartitionedTable, "dir" | "name">): pl.LazyDataFrame | undefined {
  return partitionsOf(dir, name).length === 0 ? undefined : pl.scanParquet(tableDirectory(dir, name), SCAN);
}

/** Lazy frames over the files of each year, with `path`: the rows of a year fit into memory. */
export function scanYears({ dir, name }: Pick<PartitionedTable, "dir" | "name">): pl.LazyDataFrame[] {
  const years = new Set(partitionsOf(dir, name).map((partition) => partition.split("/")[0] as string));
  return [...years].map((year) =>
    pl.scanParquet(join(tableDirectory(dir, name), year), { ...SCAN, includeFilePaths: "path" }),
  );
}

/** The partition of a path that {@link scanYears} gives. */
export function partitionOfPath(table: Pick<PartitionedTable, "dir" | "name">, path: string): string {
  const root = join(tableDirectory(table.dir, table.name), "/");
  return path.slice(root.length, path.lastIndexOf("/"));
}

const NEWNESS = [pl.lit(false).alias("is_new"), pl.lit(true).alias("is_new")];
const IS_NEW = pl.col("is_new");
const HAS_MOVED = pl.col(PARTITION).neq(pl.col("target"));

/**
 * Makes the files hold `rows` instead of `existing`. Files whose rows stay as they are remain untouched. A row that moves is
 * written to its new file before it is removed from the old one.
 *
 * @param existing the rows as the files have them, with {@link PARTITION}
 * @param rows the rows with the same keys as they are to be, with {@link PARTITION}, and new ones
 */
export async function replaceRows(table: PartitionedTable, existing: PolarsFrame, rows: PolarsFrame): Promise<void> {
  const key = [...table.key];
  const changed = existing.height === 0 ? rows : changedRows(table, existing, rows);
  for (const [partition, group] of byPartition(changed)) {
    const old = readPartition(table, partition);
    const kept = old?.join(group.select(...key), { on: key, how: "anti" });
    await writePartition(
      table,
      partition,
      kept === undefined ? group : pl.concat([kept, group.drop(PARTITION)], { how: "diagonal" }),
    );
  }
  if (existing.height === 0) return;
  const targets = rows.select(...key, PARTITION);
  targets.columns = [...key, "target"];
  const moved = existing
    .select(...key, PARTITION)
    .join(targets, { on: key, how: "inner" })
    .filter(HAS_MOVED);
  for (const [partition, group] of byPartition(moved)) {
    const old = readPartition(table, partition) as PolarsFrame;
    await writePartition(table, partition, old.join(group.select(...key), { on: key, how: "anti" }));
  }
}

/** The rows that the files do not have as they are. */
function changedRows(table: PartitionedTable, existing: PolarsFrame, rows: PolarsFrame): PolarsFrame {
  const columns = [...table.columns, PARTITION];
  const tagged = [existing, rows].map((frame, at) => frame.select(...columns).withColumns(NEWNESS[at] as pl.Expr));
  return pl
    .concat(tagged, { how: "diagonal" })
    .unique({ subset: columns, keep: "first", maintainOrder: true })
    .filter(IS_NEW)
    .drop("is_new");
}

/** The rows of each partition, in the order of the partitions. */
export function byPartition(rows: PolarsFrame): Array<[string, PolarsFrame]> {
  if (rows.height === 0) return [];
  const groups = rows.partitionBy([PARTITION], true, true) as PolarsFrame[];
  return groups
    .map((group): [string, PolarsFrame] => [group.select(PARTITION).row(0)[0] as string, group])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
