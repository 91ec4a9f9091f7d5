import { statSync } from "node:fs";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { idOrder, type PartitionedTable, partitionOf, readPartition, writePartition } from "./partitionedTable.js";
import {
  columnsOf,
  conform,
  DAY_COLUMNS,
  DECLARED,
  haveSameColumns,
  type TableColumns,
  unionColumns,
} from "./tableColumns.js";
import { partitionPath, partitionsOf } from "./tablePaths.js";

/** The columns `id` and `begintime` inside. */
export const ID = "c0";
export const BEGINTIME = "c1";

/** The table of mentions, with these columns besides those of days. */
export interface MentionsTable extends PartitionedTable {
  /** The columns of the service inside: `c0`, `c1`, … */
  readonly content: readonly string[];
  /** The rows of the service, with the columns inside. */
  numbered(frame: PolarsFrame): PolarsFrame;
  /** The start of a mention as a timestamp; null if the service sends something else. */
  readonly time: pl.Expr;
  /** The partition of a mention. */
  readonly partition: pl.Expr;
}

const ORDER = [pl.col(BEGINTIME), ...idOrder(ID)];
const TIMESTAMPS = timeOf(pl.col(BEGINTIME));
/** The service can send text in which not every timestamp can be read. */
const TEXTS = timeOf(pl.col(BEGINTIME).cast(pl.String).str.strptime(pl.Datetime("ms"), "%+"));

function timeOf(time: pl.Expr): Pick<MentionsTable, "time" | "partition"> {
  return { time, partition: partitionOf(time) };
}

/** The table of mentions of a corpus, if its columns are `columns`. */
export function mentionsTable(dir: string, columns: TableColumns): MentionsTable {
  const names = [...columns.keys()];
  const content = names.map((_name, at) => `c${at}`);
  const inside = [...content, ...DAY_COLUMNS];
  const all = new Map([...columns, ...DAY_COLUMNS.map((name) => [name, pl.Date] as const)]);
  const begintime = String(columns.get("begintime"));
  return {
    dir,
    name: "mentions",
    key: [ID],
    content,
    columns: inside,
    order: ORDER,
    ...(begintime.includes("Datetime") ? TIMESTAMPS : TEXTS),
    open: (frame) => renamed(conform(frame, all), inside),
    close: (frame) => renamed(frame, [...all.keys()]),
    numbered: (frame) => renamed(conform(frame, columns), content),
  };
}

/** The frame with other names of its columns. */
export function renamed(frame: PolarsFrame, names: readonly string[]): PolarsFrame {
  const result = frame.clone();
  result.columns = [...names];
  return result;
}

/** The columns of the files by path, as long as a file stays the same. */
const known = new Map<string, { readonly identity: string; readonly columns: TableColumns }>();

/** The columns of each partition of mentions. */
export function columnsByPartition(dir: string): Map<string, TableColumns> {
  return new Map(
    partitionsOf(dir, "mentions").map((partition) => [
      partition,
      columnsOfFile(partitionPath(dir, "mentions", partition)),
    ]),
  );
}

function columnsOfFile(path: string): TableColumns {
  const { ino, mtimeMs, size } = statSync(path);
  const identity = `${ino} ${mtimeMs} ${size}`;
  const found = known.get(path);
  if (found?.identity === identity) return found.columns;
  const columns = columnsOf(
    pl.scanParquet(path, { glob: false, hivePartitioning: false }).head(0).collectSync() as PolarsFrame,
  );
  known.set(path, { identity, columns });
  return columns;
}

/**
 * Opens the table of mentions for rows with these columns. If they are new, or of wider dtypes, every file is rewritten, so that
 * all have the same columns.
 */
export async function openMentions(dir: string, added: Iterable<TableColumns> = []): Promise<MentionsTable> {
  const byPartition = columnsByPartition(dir);
  const columns = unionColumns([DECLARED, ...byPartition.values(), ...added]);
  const table = mentionsTable(dir, columns);
  for (const [partition, own] of byPartition) {
    if (haveSameColumns({ columns: [...own.keys()], dtypes: [...own.values()] }, columns)) continue;
    await writePartition(table, partition, readPartition(table, partition) as PolarsFrame);
  }
  return table;
}
