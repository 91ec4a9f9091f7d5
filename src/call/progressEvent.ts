import type { Verdict } from "../service/paging/provenanceRecorder.js";

/** The progress of a call, reported after every page, before every wait, and at the end. */
export interface ProgressEvent {
  /** Number of the call in this process, to tell calls apart that run in parallel. */
  readonly call: number;
  /** Name of the operation, for example "mentions". */
  readonly operation: string;
  /** The query or the id of the search, to tell searches apart that run in parallel; undefined if it has none. */
  readonly query?: string | undefined;
  /** Rows fetched so far. */
  readonly rows: number;
  /** Pages fetched so far. */
  readonly pages: number;
  /** HTTP requests sent so far, retries included. */
  readonly requests: number;
  /** HTTP requests sent today (UTC) with this key by all processes of this user, see `quota`; undefined if they are not counted. */
  readonly requestsToday?: number | undefined;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Average rows per second so far. */
  readonly rate: number;
  /** The limit of rows, if one was given. */
  readonly maxItems: number | undefined;
  /** Seconds of the wait before the next attempt, after a 429 or a failure; undefined if it is not waiting. */
  readonly waiting: number | undefined;
  /** Pages that an earlier run of the same save or sink had fetched; undefined if it did not resume one. */
  readonly resumed?: number | undefined;
  /** Requests per second to which the client has slowed down after a 429; undefined if it has not. */
  readonly pace?: number | undefined;
  /** Of a corpus: how far each search is, in their order. It takes a while if there are many: call it only to show it. */
  readonly searches?: (() => readonly SearchProgress[]) | undefined;
  /** How the call ended; undefined until the last event. */
  readonly verdict: Verdict | undefined;
  /** Why the verdict is not "complete", for example "maxItems"; undefined otherwise. */
  readonly reason: string | undefined;
}

/** How far a search of a corpus is. */
export interface SearchProgress {
  /** Its parameters, for example `{ query: "climate", mindate: "2024-01-01" }`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Into how many windows it is split. */
  readonly windows: number;
  /** How many of them are fetched. */
  readonly done: number;
  /** Rows of the windows that are fetched or being fetched. */
  readonly rows: number;
  /** Whether a window is being fetched. */
  readonly isFetching: boolean;
}

/** `false` for no progress, `true` for a progress line on the terminal from the start, or a function to call. */
export type ProgressOption = boolean | ((event: ProgressEvent) => void);
