import { pl } from "../frames/polars.js";
import { people, programs } from "./tables/corpusTables.js";
import { scanYears } from "./tables/partitionedTable.js";
import type { PartitionedName } from "./tables/tablePaths.js";

const ROWS = pl.len();

/** The number of rows of each table. */
export async function rowsOfTables(dir: string) {
  const count = async (scans: readonly pl.LazyDataFrame[]) => {
    let rows = 0;
    for (const scan of scans) rows += Number((await scan.select(ROWS).collect()).row(0)[0]);
    return rows;
  };
  // By year: polars reads the metadata of all files of a scan at once.
  const partitioned = (name: PartitionedName) => count(scanYears({ dir, name }));
  return {
    mentions: await partitioned("mentions"),
    hits: await partitioned("hits"),
    people: await count([people(dir)]),
    programs: await count([programs(dir)]),
  };
}
