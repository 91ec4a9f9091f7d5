import { convertColumns } from "./convertColumns.js";
import { longInts, numberedColumns } from "./frameColumns.js";
import type { FrameEngine } from "./frameEngine.js";
import { type PolarsFrame, pl } from "./polars.js";
import { TypeFlags } from "./typeFlags.js";

const DATA_PROPERTY = { configurable: true, enumerable: true, writable: true };

/** The engine for nodejs-polars. */
export const polarsEngine: FrameEngine<PolarsFrame> = {
  load: () => undefined,
  fromPolars: (frame) => frame,
  isFrame: (value): value is PolarsFrame => pl.DataFrame.isDataFrame(value),
  withColumns: (frame, columns) => frame.hstack(columns.getColumns()) as unknown as PolarsFrame,
  toRecords(frame) {
    const long = longInts(frame);
    const withText = convertColumns(
      frame,
      long.map((name) => ({ name, stored: "int", flags: TypeFlags.string })),
    );
    const names = frame.columns;
    const isLong = new Set(long);
    // Faster than `toRecords` of polars, and supports a column named `__proto__`.
    return (numberedColumns(withText).rows() as unknown[][]).map((row) => {
      const record: Record<string, unknown> = {};
      names.forEach((name, at) => {
        // If a column has integers beyond 2^53, all its values become bigint, so that they are exact and of one type.
        const value = isLong.has(name) && row[at] !== null ? BigInt(row[at] as string) : row[at];
        if (name === "__proto__") Object.defineProperty(record, name, { value, ...DATA_PROPERTY });
        else record[name] = value;
      });
      return record;
    });
  },
};
