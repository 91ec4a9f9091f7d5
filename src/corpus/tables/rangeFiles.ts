import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { weighed } from "../../frames/chunk.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { sum } from "../../util/sum.js";
import { SENT_ID } from "./derivation.js";
import { COPIES, sizeOf } from "./parquetPart.js";

const col = pl.col;
const ID_OR_EMPTY = col(SENT_ID).fillNull(pl.lit(""));

/** Rows of a large month by ranges of their ids, in a scratch directory: each raw file is read once, not once for each range. */
export class RangeFiles {
  readonly #paths: string[][];
  readonly #below: readonly pl.Expr[];

  /** @param cuts the first ids of all ranges but the first, in order */
  constructor(
    readonly scratch: string,
    cuts: readonly string[],
  ) {
    makeDirectory(scratch);
    this.#paths = Array.from({ length: cuts.length + 1 }, () => []);
    this.#below = cuts.map((cut, at) => ID_OR_EMPTY.lt(pl.lit(cut)).sum().alias(`${at}`));
  }

  add(rows: PolarsFrame): void {
    const sorted = rows.sort(SENT_ID);
    const ends = [...(sorted.select(...this.#below).row(0) as number[]), sorted.height];
    for (const [range, end] of ends.entries()) {
      const from = ends[range - 1] ?? 0;
      if (end === from) continue;
      const paths = this.#paths[range] as string[];
      const path = join(this.scratch, `${range}-${paths.length}.parquet`);
      sorted.slice(from, end - from).writeParquet(path, { compression: "lz4" });
      paths.push(path);
    }
  }

  /** The rows of each range. Its files are removed then. */
  *take(): Generator<{ readonly frame: PolarsFrame; readonly isLast: boolean }> {
    const ranges = this.#paths.filter((paths) => paths.length > 0);
    for (const [at, paths] of ranges.entries()) {
      const frame = pl.concat(
        paths.map((path) => pl.readParquet(path)),
        { how: "diagonal" },
      );
      const bytes = sum(paths.map((path) => statSync(path).size));
      for (const path of paths) rmSync(path);
      yield { frame: weighed(frame, COPIES * sizeOf(frame, bytes)), isLast: at === ranges.length - 1 };
    }
  }
}
