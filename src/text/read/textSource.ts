import { faulty, invalid, nearest } from "../../errors/validators.js";
import { concatFrames } from "../../frames/concat.js";
import { cellText } from "../../frames/dtypes.js";
import { isPolarsFrame, refuseDanfo } from "../../frames/engine.js";
import { type FrameBatches, frameBatches, isFrameBatches } from "../../frames/frameBatches.js";
import { columnCells, TIMESTAMP_FORMAT } from "../../frames/frameColumns.js";
import { deriveProvenance, type Step } from "../../frames/lineage/derived.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { provenanceOf, setProvenance } from "../../frames/provenanceOf.js";
import { TIMESTAMP } from "../../frames/resultFrame.js";
import { toDataFrame } from "../../frames/toDataFrame.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { PERIODS, timeOf } from "../../util/period.js";
import { Captions } from "./captions.js";

/** Rows with a column `text`. A scan is read batch by batch, never held in memory as a whole. */
export type TextSource = PolarsFrame | FrameBatches;

/** The provenance of the last frame that was read from a scan or list. */
const lastRead = new WeakMap<object, Provenance>();

export async function* framesOf(source: TextSource, name = "source"): AsyncGenerator<PolarsFrame, void, undefined> {
  refuseDanfo(source, name);
  if (isPolarsFrame(source)) yield source;
  else if (isFrameBatches(source)) {
    for await (const frame of frameBatches(source, name)) {
      const provenance = provenanceOf(frame);
      if (provenance !== undefined) lastRead.set(source, provenance);
      yield frame;
    }
  } else throw invalid(name, source, "Give a frame or a scan of mentions.");
}

/** All rows of a source in one polars frame, with its provenance. */
export async function collectFrame(source: TextSource): Promise<PolarsFrame> {
  const frames: PolarsFrame[] = [];
  for await (const frame of framesOf(source)) frames.push(frame);
  // A scan without rows has no batch.
  const frame = frames.length === 0 ? toDataFrame([], { operation: "mentions" }) : concatFrames(frames);
  return frame === source ? frame : setProvenance(frame, readProvenance(source));
}

/**
 * Sets the provenance of a result: that of its source, and one more step.
 *
 * @param verb the function that returns it
 * @param text what it did
 * @param others further sources
 */
export function withStep(
  source: TextSource,
  frame: PolarsFrame,
  verb: string,
  text: string,
  ...others: readonly (TextSource | undefined)[]
): PolarsFrame {
  const [first, ...further] = [source, ...others].flatMap((each) => (each && readProvenance(each)) ?? []);
  return setProvenance(frame, first && deriveProvenance(first, { verb, text, ...rowCounts(source, frame) }, further));
}

/** The numbers of rows before and after, if the source is a frame. */
function rowCounts(source: TextSource, frame: PolarsFrame): Pick<Step, "rows"> {
  return isPolarsFrame(source) ? { rows: [source.height, frame.height] } : {};
}

export function readProvenance(source: TextSource): Provenance | undefined {
  return provenanceOf(source) ?? lastRead.get(source);
}

/** The error for a frame without a column. Its hint names the column or period that was probably meant. */
export function missingColumns(name: string, missing: readonly string[], columns: readonly string[] = []) {
  const suggestion = nearest(missing[0] as string, [...columns, ...PERIODS]);
  const hint = suggestion === undefined ? "Give mentions with these columns." : `Did you mean ${suggestion}?`;
  return faulty(name, `missing columns ${missing.join(", ")}`, hint);
}

export function hasColumn(frame: PolarsFrame, name: string): boolean {
  return frame.columns.includes(name);
}

/**
 * The values of a column as text; null for missing values and NaN, and for all rows without the column. The text does not depend on the
 * type of the column, which may be narrower in an early batch than in a later one.
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

/** The times in a column as milliseconds since 1970; null for rows without one. */
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
