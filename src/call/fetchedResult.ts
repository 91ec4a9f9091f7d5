import type { AnyFetchedResult, FetchedResult } from "../errors/index.js";
import { toDanfo } from "../frames/danfo.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";

/** The same result with its frame in another engine. */
export function inEngine<E extends Engine>(fetched: AnyFetchedResult, engine: E): FetchedResult<E> {
  if (fetched.engine === engine) return fetched as FetchedResult<E>;
  const { operation, query, rows, pages, requests, cursor } = fetched;
  let frame: FrameTypes[E] | undefined;
  return {
    operation,
    query,
    engine,
    get frame() {
      frame ??= converted(fetched, engine);
      return frame;
    },
    rows,
    pages,
    requests,
    cursor,
  };
}

function converted<E extends Engine>({ frame }: AnyFetchedResult, engine: E): FrameTypes[E] {
  const result = engine === "danfo" ? toDanfo(frame as PolarsFrame) : toDataFrame(frame, { engine });
  const provenance = provenanceOf(frame);
  return (provenance === undefined ? result : setProvenance(result, provenance)) as FrameTypes[E];
}

/**
 * What a recorder has recorded so far, as a result.
 *
 * @param makeFrame called on first access, at most once
 * @param operation what combined several paginations, if that is not the operation of the recorder
 */
export function fetchedResult(
  recorder: ProvenanceRecorder,
  engine: Engine,
  makeFrame: () => FrameTypes[Engine],
  operation?: string,
): AnyFetchedResult {
  const { request, rows, pages, requests, cursor } = recorder;
  let frame: FrameTypes[Engine] | undefined;
  const fetched: FetchedResult = {
    operation: operation ?? request.operation,
    query: operation === undefined ? new Map(request.query).get("query") : undefined,
    engine,
    get frame() {
      frame ??= makeFrame();
      return frame;
    },
    rows,
    pages,
    requests,
    cursor,
  };
  return fetched as AnyFetchedResult;
}
