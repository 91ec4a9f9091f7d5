import { invalid } from "../errors/validators.js";
import { engines } from "../frames/engine.js";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";

/** Rows that come in batches: a scan, a polars lazy frame, or an iterable of polars frames. */
export type MentionBatches =
  | {
      /** Yields the frames, as `batches()` of a scan does. */
      batches(): AsyncIterable<PolarsFrame> | Iterable<PolarsFrame>;
    }
  | LazyFrame
  | Iterable<PolarsFrame>
  | AsyncIterable<PolarsFrame>;

/** Rows of a lazy frame that are read at once. */
const SLICE = 50_000;

/**
 * The frames of a source, one after the other.
 *
 * @throws ValidationError for anything that yields something else
 */
export async function* batchesOf(source: MentionBatches): AsyncGenerator<PolarsFrame, void, undefined> {
  if (pl.LazyDataFrame.isLazyDataFrame(source)) yield* slicesOf(source as LazyFrame);
  else {
    for await (const frame of iterableOf(source)) {
      if (!engines.polars.isFrame(frame)) throw invalid("source", frame, "Give frames, a scan, or batches of frames.");
      yield frame;
    }
  }
}

/** Whether a value yields frames. */
export function isBatches(value: unknown): value is MentionBatches {
  if (typeof value !== "object" || value === null) return false;
  if (pl.LazyDataFrame.isLazyDataFrame(value)) return true;
  return "batches" in value || Symbol.asyncIterator in value || Symbol.iterator in value;
}

function iterableOf(source: Exclude<MentionBatches, LazyFrame>): AsyncIterable<unknown> | Iterable<unknown> {
  return "batches" in source ? source.batches() : source;
}

function* slicesOf(lazy: LazyFrame): Generator<PolarsFrame, void, undefined> {
  for (let offset = 0; ; offset += SLICE) {
    const frame = lazy.slice(offset, SLICE).collectSync();
    if (offset === 0 || frame.height > 0) yield frame;
    if (frame.height < SLICE) return;
  }
}
