import { rmSync } from "node:fs";
import { join } from "node:path";
import { PARQUET_OPTIONS } from "../../files/writers/columnarWriters.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import type { RawFile } from "../raw/landing.js";

import { MONTH } from "./derivation.js";
import { dtypeName } from "./tableColumns.js";

const COUNT = pl.len().alias("~count");

/** A Parquet file in a scratch directory. */
export interface MonthFile extends Pick<RawFile, "rows" | "schema"> {
  readonly path: string;
}

/** Parquet files of months whose rows come in parts, all with the same columns. */
export class MonthFiles {
  readonly #parts = new Map<string, { paths: string[]; rows: number; schema: RawFile["schema"] }>();
  #written = 0;

  /** @param scratch a directory for unfinished files; the caller removes it */
  constructor(readonly scratch: string) {
    makeDirectory(scratch);
  }

  /**
   * Adds rows that are sorted by month.
   *
   * @param nameOf the name of the file of a month
   */
  add(rows: PolarsFrame, nameOf: (month: string) => string): void {
    const months = rows.groupBy(MONTH).agg(COUNT).sort(MONTH).rows() as Array<[string, number]>;
    const content = rows.drop(MONTH);
    const { columns, dtypes } = content;
    const schema = columns.map((name, at) => [name, dtypeName(dtypes[at])] as const);
    let from = 0;
    for (const [month, count] of months) {
      // The chunks of a column would show in the file.
      const part = numberedColumns(content.slice(from, count)).rechunk();
      from += count;
      const path = join(this.scratch, `${++this.#written}.parquet`);
      part.columns = columns;
      part.writeParquet(path, { compression: "zstd" });
      const name = nameOf(month);
      const known = this.#parts.get(name) ?? { paths: [], rows: 0, schema };
      this.#parts.set(name, { paths: [...known.paths, path], rows: known.rows + count, schema });
    }
  }

  /** A file with all rows that were added; undefined if there are none. */
  async take(name: string): Promise<MonthFile | undefined> {
    const { paths = [], ...rest } = this.#parts.get(name) ?? { rows: 0, schema: [] };
    this.#parts.delete(name);
    const [first, ...others] = paths;
    if (first === undefined) return undefined;
    if (others.length === 0) return { path: first, ...rest };
    const path = join(this.scratch, "whole.parquet");
    await scanParquetFiles(paths)
      .sinkParquet(path, { ...PARQUET_OPTIONS })
      .collect();
    for (const part of paths) rmSync(part, { force: true });
    return { path, ...rest };
  }
}
