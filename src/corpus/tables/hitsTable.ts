import { pl } from "../../frames/polars.js";
import { idOrder, type PartitionedTable } from "./partitionedTable.js";
import type { DataType, TableColumns } from "./tableColumns.js";

/** The columns of hits and their dtypes. */
export const HIT_COLUMNS: TableColumns = new Map<string, DataType>([
  ["search", pl.String],
  ["window", pl.String],
  ["id", pl.String],
  ["begintime", pl.Datetime("us", "UTC")],
  ["first_seen", pl.Date],
  ["vanished", pl.Date],
]);

const ORDER = [pl.col("begintime"), ...idOrder("id"), pl.col("search")];

/** The table of hits: which search found which mention. */
export function hitsTable(dir: string): PartitionedTable {
  const columns = [...HIT_COLUMNS.keys()];
  return {
    dir,
    name: "hits",
    key: ["search", "id"],
    columns,
    order: ORDER,
    open: (frame) => frame,
    close: (frame) => frame,
  };
}
