import { type Engine, engines, type FrameTypes } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";

/**
 * What a walk over pages has brought so far: after a failure `error.partial`, and at any time the last one of a client,
 * `archive.lastHarvest()`.
 */
export interface Harvest<E extends Engine = Engine> {
  /** The library of the frame. */
  readonly engine: E;
  /** The rows as a frame, in the engine of the call. It is made when it is first looked at. */
  readonly frame: FrameTypes[E];
  readonly rows: number;
  readonly pages: number;
  /** Requests sent, repeated ones included. */
  readonly requests: number;
  /**
   * Where to go on from: `{ cursor }` in the next call. A page that was cut comes again from its beginning. Undefined where
   * nothing is left, where nothing came, where the first page was cut, or where the cursor goes in circles.
   */
  readonly cursor: string | undefined;
}

/** A harvest in either engine: its `engine` says in which. */
export type AnyHarvest = { [E in Engine]: Harvest<E> }[Engine];

declare module "../errors/archiveError.js" {
  interface ArchiveError {
    /** What had arrived before a walk over several pages failed; absent when nothing had. */
    partial?: AnyHarvest;
  }
}

/** The same harvest with its frame in an engine. */
export function inEngine<E extends Engine>(harvest: AnyHarvest, engine: E): Harvest<E> {
  if (harvest.engine === engine) return harvest as Harvest<E>;
  const { rows, pages, requests, cursor } = harvest;
  let frame: FrameTypes[E] | undefined;
  return {
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
  const result = engine === "danfo" ? engines.danfo.fromPolars(frame as PolarsFrame) : toDataFrame(frame, { engine });
  const provenance = provenanceOf(frame);
  return (provenance === undefined ? result : setProvenance(result, provenance)) as FrameTypes[E];
}

/** A harvest as the account stands now; `makeFrame` is called at most once. */
export function harvestOf(
  recorder: ProvenanceRecorder,
  engine: Engine,
  makeFrame: () => FrameTypes[Engine],
): AnyHarvest {
  const { rows, pages, requests, cursor } = recorder;
  let frame: FrameTypes[Engine] | undefined;
  const harvest: Harvest = {
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
