import { faulty, invalid, nearest } from "../../errors/validators.js";
import { concatFrames } from "../../frames/concat.js";
import { isPolarsFrame, refuseDanfo } from "../../frames/engine.js";
import { type FrameBatches, frameBatches, isFrameBatches } from "../../frames/frameBatches.js";
import { derived } from "../../frames/lineage/derived.js";
import type { Step } from "../../frames/lineage/step.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf, setProvenance } from "../../frames/provenanceOf.js";
import { toDataFrame } from "../../frames/toDataFrame.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { PERIODS } from "../../util/period.js";

/** Rows with a column `text`. A scan is read batch by batch, never held in memory as a whole. */
export type TextSource = PolarsFrame | FrameBatches;

/** Of scans and lists: the provenance of the last frame that was read. */
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
export async function collected(source: TextSource): Promise<PolarsFrame> {
  const frames: PolarsFrame[] = [];
  for await (const frame of framesOf(source)) frames.push(frame);
  // A scan that finds nothing has no batch.
  const whole = frames.length === 0 ? toDataFrame([], { operation: "mentions" }) : concatFrames(frames);
  return whole === source ? whole : setProvenance(whole, readProvenance(source));
}

/**
 * The result with the provenance of its source and one step more.
 *
 * @param verb the function that made it
 * @param text what it did
 * @param others further sources, if any
 */
export function withStep(
  source: TextSource,
  frame: PolarsFrame,
  verb: string,
  text: string,
  ...others: readonly (TextSource | undefined)[]
): PolarsFrame {
  const [first, ...further] = [source, ...others].flatMap((each) => (each && readProvenance(each)) ?? []);
  return setProvenance(frame, first && derived(first, { verb, text, ...rowsOf(source, frame) }, further));
}

/** How many rows went in and came out, if the source is a frame. */
function rowsOf(source: TextSource, frame: PolarsFrame): Pick<Step, "rows"> {
  return isPolarsFrame(source) ? { rows: [source.height, frame.height] } : {};
}

export function readProvenance(source: TextSource): Provenance | undefined {
  return provenanceOf(source) ?? lastRead.get(source);
}

/** The error for a frame without a column. Its hint names the column or period that was probably meant. */
export function missingColumns(name: string, missing: readonly string[], columns: readonly string[] = []) {
  const near = nearest(missing[0] as string, [...columns, ...PERIODS]);
  const hint = near === undefined ? "Give mentions with these columns." : `Did you mean ${near}?`;
  return faulty(name, `missing columns ${missing.join(", ")}`, hint);
}
