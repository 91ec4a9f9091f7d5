import type { Verdict } from "../service/paging/provenanceRecorder.js";

/** The progress of a call: after every page, before every wait, and at the end. */
export interface ProgressEvent {
  /** Number of the call in this process. */
  readonly call: number;
  /** Name of the operation: `"mentions"`. */
  readonly operation: string;
  /** The query or id, if there is one. */
  readonly query?: string | undefined;
  /** Rows fetched so far. */
  readonly rows: number;
  /** Pages fetched so far. */
  readonly pages: number;
  /** HTTP requests sent so far, retries included. */
  readonly requests: number;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Average rows per second. */
  readonly rate: number;
  /** The row limit, if given. */
  readonly maxItems: number | undefined;
  /** Seconds to wait before the next attempt, after a 429 or a failure. */
  readonly waiting: number | undefined;
  /** Pages fetched by the earlier run that this save or sink resumes. */
  readonly resumed?: number | undefined;
  /** Requests per second to which the client slowed down after a 429. */
  readonly pace?: number | undefined;
  /** How the call ended; undefined until the last event. */
  readonly verdict: Verdict | undefined;
  /** Why the verdict is not "complete", for example "maxItems". */
  readonly reason: string | undefined;
}

/** `true` for a progress line from the start, `false` for none, or a function to call. */
export type ProgressOption = boolean | ((event: ProgressEvent) => void);
