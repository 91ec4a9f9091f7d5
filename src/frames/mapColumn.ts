import { type PolarsFrame, pl } from "./polars.js";

/**
 * The frame with one column replaced. Names come from the wire, and an expression would take `*` and `^…$` for patterns:
 * a series is found by its exact name.
 */
export function mapColumn(frame: PolarsFrame, name: string, map: (column: pl.Series) => pl.Series): PolarsFrame {
  return frame.withColumns(map(frame.getColumn(name)).rename(name));
}

/** The format of timestamps as text in one spelling: `2024-04-27T02:35:35Z`, with a fraction where there is one. */
export const TIMESTAMP_FORMAT = "%Y-%m-%dT%H:%M:%S%.fZ";

/** Timestamps as text in that spelling. */
export function timestampText(column: pl.Series): pl.Series {
  return column.date.strftime(TIMESTAMP_FORMAT);
}

/** Every value of a column as text; `undefined` for none. */
export function mapText(frame: PolarsFrame, name: string, text: (value: unknown) => string | undefined): PolarsFrame {
  return mapColumn(frame, name, (column) => {
    const values = [...column.toArray()].map((value: unknown) => (value === null ? null : (text(value) ?? null)));
    return pl.Series(name, values, pl.Utf8);
  });
}
