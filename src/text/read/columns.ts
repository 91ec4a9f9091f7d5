import { columnCells, TIMESTAMP_FORMAT } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { TIMESTAMP } from "../../frames/resultFrame.js";
import { cellText } from "../../frames/typeFlags.js";
import { timeOf } from "../../util/timestamp.js";
import { Captions } from "./captions.js";
import { missingColumns } from "./textSource.js";

export function hasColumn(frame: PolarsFrame, name: string): boolean {
  return frame.columns.includes(name);
}

/**
 * The values of a column as text, null for none and NaN; nulls if the frame has none of that name. A value has the same text in every type that its column may
 * have, and in a column that has widened to text: the columns of an early batch may have narrower types than those of a later one.
 */
export function textsOf(frame: PolarsFrame, name: string): readonly (string | null)[] {
  if (!hasColumn(frame, name)) return new Array<null>(frame.height).fill(null);
  const column = frame.getColumn(name);
  const { variant } = column.dtype;
  if (variant === "Datetime")
    return [...column.cast(TIMESTAMP).date.strftime(TIMESTAMP_FORMAT).toArray()] as (string | null)[];
  if (!/^(?:Utf8|String|U?Int\d+|Date|Decimal)$/.test(variant)) {
    return [...column.toArray()].map((value) => (value === null || Number.isNaN(value) ? null : cellText(value)));
  }
  return [...column.cast(pl.Utf8).toArray()] as (string | null)[];
}

export function captionsOf(frame: PolarsFrame, name = "source"): Captions {
  requireColumns(frame, ["text"], name);
  return new Captions(textsOf(frame, "text"));
}

/** The times in a column as milliseconds since 1970, null where a row has none. */
export function timesOf(frame: PolarsFrame, name = "begintime"): readonly (number | null)[] {
  const values = columnCells(frame, name);
  const isTime = hasColumn(frame, name) && /^Date/.test(frame.getColumn(name).dtype.variant);
  return values.map((value) => {
    if (isTime) return value === null ? null : Number(value);
    return typeof value === "string" ? timeOf(value) : null;
  });
}

/** @throws ValidationError if a frame lacks a column */
export function requireColumns(frame: PolarsFrame, names: readonly string[], what = "source"): void {
  const missing = names.filter((name) => !hasColumn(frame, name));
  if (missing.length > 0) throw missingColumns(what, missing, frame.columns);
}
