import { checkPolarsFrame } from "./engine.js";
import { refuseOtherPolars } from "./otherPolars.js";
import { type LazyFrame, type PolarsFrame, pl } from "./polars.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";

/** Frames, one after another. */
export type Frames = Iterable<PolarsFrame> | AsyncIterable<PolarsFrame>;

/** A scan, its result of `withMembers`, a list of polars frames, or a lazy frame. */
export type FrameBatches = AsyncIterable<PolarsFrame> | readonly PolarsFrame[] | LazyFrame;

export function isFrameBatches(value: unknown): value is FrameBatches {
  if (typeof value !== "object" || value === null) return false;
  return isLazyFrame(value) || Array.isArray(value) || Symbol.asyncIterator in value;
}

/**
 * The frames of a source, one after another. A lazy frame is collected once, because its rows may be in another order each time.
 *
 * @param name the parameter that the error names
 * @throws ValidationError for anything but polars frames
 */
export async function* frameBatches(
  source: FrameBatches,
  name = "source",
): AsyncGenerator<PolarsFrame, void, undefined> {
  if (!isLazyFrame(source)) {
    for await (const frame of source) yield checkPolarsFrame(frame, name, "polars frames: toDataFrame(rows) makes one");
    return;
  }
  yield* slicesOf(await source.collect(), SLICE_ROWS);
}

/** Rows per frame of a lazy frame, to bound the memory of their consumer. */
const SLICE_ROWS = 50_000;

export function isLazyFrame(value: unknown): value is LazyFrame {
  refuseOtherPolars(value);
  return pl.LazyDataFrame.isLazyDataFrame(value);
}

/** Splits a frame into frames of `size` rows, at least one, with its provenance. */
export function* slicesOf(frame: PolarsFrame, size: number): Generator<PolarsFrame, void, undefined> {
  const provenance = provenanceOf(frame);
  for (let at = 0; at < frame.height || at === 0; at += size)
    yield setProvenance(frame.slice(at, Math.min(size, frame.height - at)), provenance);
}
