import { invalid } from "../errors/validators.js";
import { isPolarsFrame } from "./engine.js";
import { type LazyFrame, type PolarsFrame, pl } from "./polars.js";

/** Anything that yields polars frames batch by batch, such as a scan. */
export interface BatchSource {
  /** Yields the frames, as `batches()` of a scan does. */
  batches(): AsyncIterable<PolarsFrame> | Iterable<PolarsFrame>;
}

/** Frames, one after another. */
export type Frames = Iterable<PolarsFrame> | AsyncIterable<PolarsFrame>;

/** Rows that come in batches: a scan, a polars lazy frame, or an iterable of polars frames. */
export type FrameBatches = LazyFrame | BatchSource | Iterable<PolarsFrame> | AsyncIterable<PolarsFrame>;

const SLICE = 50_000;

export function isFrameBatches(value: unknown): value is FrameBatches {
  if (typeof value !== "object" || value === null) return false;
  return isLazyFrame(value) || isBatchSource(value) || Symbol.asyncIterator in value || Symbol.iterator in value;
}

/**
 * The frames of a source, one after the other. A lazy frame is read in slices.
 *
 * @param name the parameter that the error names
 * @throws ValidationError for anything that yields something else
 */
export async function* frameBatches(
  source: FrameBatches,
  name = "source",
): AsyncGenerator<PolarsFrame, void, undefined> {
  if (isLazyFrame(source)) return yield* slicesOf(source);
  for await (const frame of isBatchSource(source) ? source.batches() : source) {
    if (!isPolarsFrame(frame)) throw invalid(name, frame, "Give polars frames only.");
    yield frame;
  }
}

export function isLazyFrame(value: unknown): value is LazyFrame {
  return pl.LazyDataFrame.isLazyDataFrame(value);
}

function isBatchSource(value: object): value is BatchSource {
  return typeof (value as Partial<BatchSource>).batches === "function";
}

async function* slicesOf(lazy: LazyFrame): AsyncGenerator<PolarsFrame, void, undefined> {
  for (let offset = 0; ; offset += SLICE) {
    const frame = await lazy.slice(offset, SLICE).collect();
    if (frame.height > 0 || offset === 0) yield frame;
    if (frame.height < SLICE) return;
  }
}

/** Yields at least one frame, each of `size` rows except the last. All frames have the same columns and types. */
export async function* rebatched(frames: Frames, size: number): AsyncGenerator<PolarsFrame, void, undefined> {
  let held: PolarsFrame[] = [];
  let height = 0;
  let isEmpty = true;
  for await (const frame of frames) {
    held.push(frame);
    height += frame.height;
    if (height < size) continue;
    const rows = concatRows(held);
    height %= size;
    isEmpty = false;
    for (let at = 0; at < rows.height - height; at += size) yield rows.slice(at, size);
    held = height === 0 ? [] : [rows.tail(height)];
  }
  if (height > 0 || isEmpty) yield concatRows(held);
}

/** Joins frames whose common columns have the same types. */
export function concatRows(frames: readonly PolarsFrame[]): PolarsFrame {
  // "vertical" takes quadratic time.
  return frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat([...frames], { how: "diagonal" });
}
