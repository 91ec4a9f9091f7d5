import type { FrameEngine } from "./frameEngine.js";
import { longInts } from "./longInts.js";
import { mapColumn } from "./mapColumn.js";
import { type PolarsFrame, pl } from "./polars.js";

/** The frames of nodejs-polars. */
export const polarsEngine: FrameEngine<PolarsFrame> = {
  load: () => undefined,
  fromPolars: (frame) => frame,
  isFrame: (value): value is PolarsFrame => pl.DataFrame.isDataFrame(value),
  toRecords(frame) {
    const long = longInts(frame);
    const texts = long.reduce((kept, name) => mapColumn(kept, name, (column) => column.cast(pl.Utf8)), frame);
    const rows = texts.toRecords() as Record<string, unknown>[];
    // Where a column holds whole numbers beyond 2^53 all of it is bigint: exact, and of one type.
    for (const name of long) for (const row of rows) if (row[name] !== null) row[name] = BigInt(row[name] as string);
    return rows;
  },
};
