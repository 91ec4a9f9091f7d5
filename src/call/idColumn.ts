import { ValidationError } from "../errors/index.js";
import { invalid, nearest, show } from "../errors/validators.js";
import { frameRecords, isPolarsFrame } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { clip, quotedList } from "../util/quoted.js";

/** The ids in a column of a frame. */
export interface IdColumn {
  /** The id of every row; null for a missing value. */
  readonly ids: readonly (string | null)[];
  /** Values that are not ids, each once. */
  readonly others: ReadonlySet<string>;
}

/** Longer values that are not ids are clipped in reports. */
const MAX_VALUE = 200;

/**
 * Reads the ids in a column: positive integers, or the same as text.
 *
 * @throws ValidationError if the frame has no such column, or the column has no ids
 */
export function idColumn(frame: PolarsFrame | DanfoFrame, on: string): IdColumn {
  const columns = frame.columns as readonly string[];
  if (!columns.includes(on)) {
    const near = nearest(on, columns);
    const hint = near === undefined ? `Its columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`;
    throw new ValidationError(`invalid on: the frame has no column ${show(on)}.`, { hint, parameter: "on" });
  }
  const others = new Set<string>();
  const ids = valuesOf(frame, on).map((value) => {
    if (value === null || value === undefined || value === "" || Number.isNaN(value)) return null;
    const text = clip(String(value), MAX_VALUE);
    if (!/^[1-9]\d{0,18}$/.test(text)) others.add(text);
    return text;
  });
  if (others.size > 0 && ids.every((id) => id === null || others.has(id)))
    throw invalid("on", on, `The column has no ids, but ${quotedList([...others], 3)}.`);
  return { ids, others };
}

/** The values of a column; whole numbers as text, so that none is rounded. */
function valuesOf(frame: PolarsFrame | DanfoFrame, name: string): unknown[] {
  if (!isPolarsFrame(frame)) return frameRecords(frame).map((row) => row[name]);
  const column = frame.getColumn(name);
  const isWhole = /^U?Int/.test(column.dtype.variant);
  return [...(isWhole ? column.cast(pl.Utf8) : column).toArray()];
}
