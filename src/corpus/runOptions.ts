import type { ProgressOption } from "../call/progressEvent.js";
import { abortSignal, checkedOptions, invalid, nonNegativeInteger } from "../errors/validators.js";
import { RequestBudget } from "../service/http/requester.js";

/** Options of `build` and `refresh`. */
export interface RunOptions {
  /** HTTP requests to send at most, retries included. What was fetched is kept, and the next call goes on. Default: no limit. */
  maxRequests?: number | undefined;
  /** Stops the run. What was fetched is kept and merged, and the next call goes on. */
  signal?: AbortSignal | undefined;
  /** A function that is called after every page, `true` for a progress line, `false` for none. Default: `progress` of the client. */
  progress?: ProgressOption | undefined;
}

/** {@link RunOptions} after checking. */
export interface CheckedRunOptions {
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly progress: ProgressOption | undefined;
}

/**
 * Checks the options of a run.
 *
 * @param more the names of its further options
 */
export function checkRunOptions(
  given: object | undefined,
  verb: string,
  more: readonly string[] = [],
): CheckedRunOptions {
  const options: RunOptions = checkedOptions(
    given,
    ["maxRequests", "signal", "progress", ...more],
    `option of ${verb}`,
  );
  const { maxRequests, signal, progress } = options;
  if (progress !== undefined && typeof progress !== "boolean" && typeof progress !== "function")
    throw invalid("progress", progress, "Give progress: false, progress: true or a function.");
  return {
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
    progress,
  };
}
