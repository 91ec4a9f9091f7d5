import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { engines } from "../../frames/engine.js";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { provenanceOf, setProvenance } from "../../frames/provenanceOf.js";
import { toDataFrame } from "../../frames/toDataFrame.js";
import type { DanfoFrame } from "../../util/frameTypes.js";

/** Anything that yields polars frames batch by batch, such as a scan. */
export interface BatchSource {
  batches(): AsyncIterable<PolarsFrame> | Iterable<PolarsFrame>;
}

/**
 * Rows with a column `text`: a polars or danfo frame; a scan, which is read batch by batch and never held in memory as a whole; a
 * polars lazy frame, which is read in slices; or an iterable of polars frames.
 */
export type TextSource =
  | PolarsFrame
  | DanfoFrame
  | LazyFrame
  | BatchSource
  | Iterable<PolarsFrame>
  | AsyncIterable<PolarsFrame>;

/** What a function returns for a source: a danfo frame for a danfo frame, otherwise a polars frame. */
export type FrameOf<S> = S extends PolarsFrame | LazyFrame | BatchSource | Iterable<unknown> | AsyncIterable<unknown>
  ? PolarsFrame
  : S;

/** Rows of a lazy frame that are read at once. */
const SLICE = 50_000;

/** The frames of a source. */
export async function* framesOf(source: TextSource, name = "source"): AsyncGenerator<PolarsFrame, void, undefined> {
  if (isPolars(source)) yield source;
  else if (isDanfo(source)) yield setProvenance(toDataFrame(source), provenanceOf(source));
  else if (isObject(source) && pl.LazyDataFrame.isLazyDataFrame(source)) yield* slicesOf(source as LazyFrame);
  else yield* checked(iterableOf(source, name), name);
}

/** The result in the library of the source. */
export function likeSource<S>(source: S, frame: PolarsFrame): FrameOf<S> {
  return (isDanfo(source) ? engines.danfo.fromPolars(frame) : frame) as FrameOf<S>;
}

/** Whether a value is a polars frame. */
export function isPolars(value: unknown): value is PolarsFrame {
  return isObject(value) && engines.polars.isFrame(value);
}

/** Whether a value is a danfo frame. */
export function isDanfo(value: unknown): value is DanfoFrame {
  return isObject(value) && engines.danfo.isFrame(value);
}

async function* slicesOf(lazy: LazyFrame): AsyncGenerator<PolarsFrame, void, undefined> {
  for (let offset = 0; ; offset += SLICE) {
    const frame = await lazy.slice(offset, SLICE).collect();
    if (frame.height > 0 || offset === 0) yield frame;
    if (frame.height < SLICE) return;
  }
}

async function* checked(frames: AsyncIterable<unknown> | Iterable<unknown>, name: string) {
  for await (const frame of frames) {
    if (!isPolars(frame)) throw invalid(name, frame, "Give polars frames only.");
    yield frame;
  }
}

function iterableOf(source: unknown, name: string): AsyncIterable<unknown> | Iterable<unknown> {
  if (isObject(source)) {
    const { batches, then } = source as { batches?: unknown; then?: unknown };
    if (typeof batches === "function") return batches.call(source) as AsyncIterable<unknown>;
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source as Iterable<unknown>;
    if (typeof then === "function") throw invalid(name, source, "It is a promise. Put await before it.");
  }
  throw invalid(name, source, "Give a frame or a scan of mentions.");
}

/** The error for a frame without a column. */
export function missingColumns(name: string, missing: readonly string[]): ValidationError {
  return new ValidationError(`invalid ${name}: missing columns ${missing.join(", ")}.`, {
    hint: "Give mentions with these columns.",
    parameter: name,
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
