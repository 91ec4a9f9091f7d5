import { rmSync } from "node:fs";
import { join } from "node:path";
import { PARQUET_OPTIONS } from "../../files/writers/columnarWriters.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { MONTH } from "./monthRows.js";

const COUNT = pl.len().alias("~count");

/** Parquet files of months whose rows come in parts. */
export class MonthFiles {
  readonly #parts = new Map<string, string[]>();
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
    let from = 0;
    for (const [month, count] of months) {
      // The chunks of a column would show in the file.
      const part = numberedColumns(content.slice(from, count)).rechunk();
      from += count;
      const path = join(this.scratch, `${++this.#written}.parquet`);
      part.columns = content.columns;
      part.writeParquet(path, { compression: "zstd" });
      const name = nameOf(month);
      this.#parts.set(name, [...(this.#parts.get(name) ?? []), path]);
    }
  }

  /** The path of a file with all rows that were added; undefined if there are none. */
  async take(name: string): Promise<string | undefined> {
    const [first, ...others] = this.#parts.get(name) ?? [];
    this.#parts.delete(name);
    if (first === undefined || others.length === 0) return first;
    const whole = join(this.scratch, "whole.parquet");
    await scanParquetFiles([first, ...others])
      .sinkParquet(whole, { ...PARQUET_OPTIONS })
      .collect();
    for (const part of [first, ...others]) rmSync(part, { force: true });
    return whole;
  }
}
