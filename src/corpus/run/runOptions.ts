import type { ProgressOption } from "../../call/progressEvent.js";
import { abortSignal, boolean, checkedOptions, invalid, nonNegativeInteger } from "../../errors/validators.js";
import { RequestBudget } from "../../service/http/requester.js";
import { checkDays } from "../state/rounds.js";

/** Options of `build` and `refresh`. */
export interface RunOptions {
  /** HTTP requests to send at most, retries included. What was fetched is kept, and the next call goes on. Default: no limit. */
  maxRequests?: number | undefined;
  /**
   * Send a second request after the last page of each window, to confirm that it is the last. false trusts a short page: small windows
   * cost half, and `searches` says "ends not confirmed". Default true.
   */
  confirmEnd?: boolean | undefined;
  /**
   * Read the pages of a window again until two readings agree. Without it, rows that the service removes while a window of several pages is
   * read may hide others, and `searches` says "not shown to be stable". Default false.
   */
  recheck?: boolean | undefined;
  /** Stops the run. What was fetched is kept and merged, and the next call goes on. */
  signal?: AbortSignal | undefined;
  /** A function that is called after every page, `true` for a progress line, `false` for none. Default: `progress` of the client. */
  progress?: ProgressOption | undefined;
}

/** Options of `refresh`. */
export interface RefreshOptions extends RunOptions {
  /**
   * How long the service may add, change or remove mentions after their day: `"30d"`, `"6w"`. Windows that end earlier than this before
   * they were fetched are not asked again. Default "30d".
   */
  lag?: string | undefined;
  /** Look up people and programs of its mentions again after this time; those that the service did not know after 30 days at most. Default "180d". */
  lookupAge?: string | undefined;
}

/** {@link RunOptions} after checking. */
export interface CheckedRunOptions {
  readonly budget: RequestBudget | undefined;
  readonly confirmEnd: boolean;
  readonly recheck: boolean;
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
    ["maxRequests", "confirmEnd", "recheck", "signal", "progress", ...more],
    `option of ${verb}`,
  );
  const { maxRequests, confirmEnd = true, recheck = false, signal, progress } = options;
  if (progress !== undefined && typeof progress !== "boolean" && typeof progress !== "function")
    throw invalid("progress", progress, "Give progress: false, progress: true or a function.");
  return {
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    confirmEnd: boolean("confirmEnd", confirmEnd),
    recheck: boolean("recheck", recheck),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
    progress,
  };
}

/** {@link RefreshOptions}, in days. */
export function checkRefresh({ lag, lookupAge }: Pick<RefreshOptions, "lag" | "lookupAge"> = {}): {
  lag: number;
  lookupAge: number;
} {
  return { lag: checkDays("lag", lag ?? "30d", "30d"), lookupAge: checkDays("lookupAge", lookupAge ?? "180d", "180d") };
}
