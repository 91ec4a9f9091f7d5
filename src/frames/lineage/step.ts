import { clip } from "../../util/quoted.js";

declare module "../../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for derived frames: the results that the rows come from, each once. */
    sources?: readonly Provenance[];
    /** Only for derived frames: what was done to the rows, in order. The steps of a frame that was joined or appended come before that step. */
    steps?: readonly Step[];
  }
}

/** A verb that was applied to rows. */
export interface Step {
  /** The method or function: `"filter"`, `"groupBy"`, `"withMembers"`. */
  readonly verb: string;
  /** What it did: `filtered by [(col("length")) > (60.0)]`. */
  readonly text: string;
  /** Rows before and after it; absent for lazy frames. */
  readonly rows?: readonly [before: number, after: number];
}

/** The longest text of a step. */
export const MAX_TEXT = 1000;

/** The text of a step in one line of bounded length. */
export function boundedStep({ text, ...step }: Step): Step {
  return { ...step, text: clip(text.replace(/\s+/g, " ").trim(), MAX_TEXT) };
}
