import type { AnyHarvest, Harvest } from "../errors/index.js";
import { toDanfo } from "../frames/danfo.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";

/** The same harvest with its frame in another engine. */
export function inEngine<E extends Engine>(harvest: AnyHarvest, engine: E): Harvest<E> {
  if (harvest.engine === engine) return harvest as Harvest<E>;
  const { operation, query, rows, pages, requests, cursor } = harvest;
  let frame: FrameTypes[E] | undefined;
  return {
    operation,
    query,
    engine,
    get frame() {
      frame ??= converted(harvest, engine);
      return frame;
    },
    rows,
    pages,
    requests,
    cursor,
  };
}

function converted<E extends Engine>({ frame }: AnyHarvest, engine: E): FrameTypes[E] {
  const result = engine === "danfo" ? toDanfo(frame as PolarsFrame) : toDataFrame(frame, { engine });
  const provenance = provenanceOf(frame);
  return (provenance === undefined ? result : setProvenance(result, provenance)) as FrameTypes[E];
}

/**
 * The current state of a recorder as a harvest.
 *
 * @param makeFrame called on first access, at most once
 * @param operation what combined several walks, if that is not the operation of the recorder
 */
export function harvestOf(
  recorder: ProvenanceRecorder,
  engine: Engine,
  makeFrame: () => FrameTypes[Engine],
  operation?: string,
): AnyHarvest {
  const { request, rows, pages, requests, cursor } = recorder;
  let frame: FrameTypes[Engine] | undefined;
  const harvest: Harvest = {
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
  return harvest as AnyHarvest;
}
