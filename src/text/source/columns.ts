import { type PolarsFrame, pl } from "../../frames/polars.js";
import { Captions } from "../captions.js";
import { missingColumns } from "./textSource.js";

/** The values of a column, null where a row has none. */
export type Values = readonly unknown[];

/** Whether a frame has a column. */
export function hasColumn(frame: PolarsFrame, name: string): boolean {
  return frame.columns.includes(name);
}

/** The values of a column; nulls if the frame has none of that name. */
export function valuesOf(frame: PolarsFrame, name: string): Values {
  return hasColumn(frame, name) ? [...frame.getColumn(name).toArray()] : new Array<null>(frame.height).fill(null);
}

/** The captions of a frame. */
export function captionsOf(frame: PolarsFrame, name = "source"): Captions {
  requireColumns(frame, ["text"], name);
  return new Captions([...frame.getColumn("text").cast(pl.Utf8).toArray()] as (string | null)[]);
}

/** The times in a column as milliseconds since 1970, null where a row has none. */
export function timesOf(frame: PolarsFrame, name = "begintime"): readonly (number | null)[] {
  const values = valuesOf(frame, name);
  const isTime = hasColumn(frame, name) && /^Date/.test(frame.getColumn(name).dtype.variant);
  return values.map((value) => {
    const time = isTime ? Number(value) : typeof value === "string" ? Date.parse(value) : Number.NaN;
    return value === null || Number.isNaN(time) ? null : time;
  });
}

/** @throws ValidationError if a frame lacks a column */
export function requireColumns(frame: PolarsFrame, names: readonly string[], what = "source"): void {
  const missing = names.filter((name) => !hasColumn(frame, name));
  if (missing.length > 0) throw missingColumns(what, missing);
}
