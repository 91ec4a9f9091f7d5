import type { ClientContext } from "../../call/clientContext.js";
import type { RequestBudget } from "../../service/http/requestBudget.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Window } from "../definition/windows.js";
import type { FetchedWindow } from "./landing.js";

/** What fetching a window needs besides it. */
export interface FetchOptions {
  /** A private directory for the journal, and the rows until they land. */
  readonly work: string;
  /** The refresh that asks; 0 for a build. */
  readonly round: number;
  readonly recorder: ProvenanceRecorder;
  readonly budget?: RequestBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: (() => void) | undefined;
  /** A second request confirms the end. Default true. */
  readonly confirmEnd?: boolean | undefined;
  /** Read the pages again until two readings agree. Default false. */
  readonly recheck?: boolean | undefined;
}

/**
 * Fetches the rows of a window by the cursor. Every response goes into a journal first, so a window that was stopped resumes.
 *
 * @returns undefined if the request budget is used up; the journal stays
 * @throws ArchiveError if the service or the disk fails; the journal stays
 */
export declare function fetchWindow(
  client: ClientContext,
  window: Window,
  options: FetchOptions,
): Promise<FetchedWindow | undefined>;

/** Removes the journal of a window that has landed. */
export declare function forgetWindow(work: string, window: Window, round: number): void;

/**
 * Fetches windows in other processes: a fleet, whose client has it as `windows`. It has no journal here. The recorder gets the requests
 * (`context.onRequest`), rows, pages and the verdict, also of a window that is not finished; the budget gets what was sent (`take`).
 */
export interface WindowFetcher {
  /** Windows in flight. */
  readonly concurrency: number;
  readonly fetch: typeof fetchWindow;
}

/** What fetches the windows of a client: this process, or a fleet. */
export function fetcherOf(client: ClientContext): WindowFetcher {
  return (client.windows as WindowFetcher | undefined) ?? { concurrency: client.concurrency, fetch: fetchWindow };
}
