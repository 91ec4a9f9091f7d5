import type { ProgressOption } from "../../call/progressEvent.js";
import type { ArchiveError } from "../../errors/index.js";
import { abortSignal, boolean, checkedOptions, invalid, nonNegativeInteger } from "../../errors/validators.js";
import { RequestBudget } from "../../service/http/requester.js";
import { clip } from "../../util/quoted.js";
import type { Definition } from "../definition/definition.js";

/** Options of `build` and `refresh`. */
export interface RunOptions {
  /** HTTP requests to send at most, retries included. What was fetched is kept, and the next call goes on. Default: no limit. */
  maxRequests?: number | undefined;
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
    ["maxRequests", "recheck", "signal", "progress", ...more],
    `option of ${verb}`,
  );
  const { maxRequests, recheck = false, signal, progress } = options;
  if (progress !== undefined && typeof progress !== "boolean" && typeof progress !== "function")
    throw invalid("progress", progress, "Give progress: false, progress: true or a function.");
  return {
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    recheck: boolean("recheck", recheck),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
    progress,
  };
}

const MAX_DAYS = 100_000;

/** The days of a span: "30d", "6w". */
function checkDays(name: string, given: unknown, normal: string): number {
  const [, number, unit] = (typeof given === "string" && /^(\d{1,6})([dw])$/.exec(given.trim())) || [];
  const days = Number(number) * (unit === "w" ? 7 : 1);
  if (days <= MAX_DAYS) return days;
  throw invalid(name, given, `Give a number of days or weeks, for example ${name}: "${normal}" or ${name}: "6w".`);
}

/** A refresh, in days. */
export interface CheckedRefresh {
  readonly lag: number;
  readonly lookupAge: number;
}

/** {@link RefreshOptions}, in days. */
export function checkRefresh({ lag, lookupAge }: Pick<RefreshOptions, "lag" | "lookupAge"> = {}): CheckedRefresh {
  return { lag: checkDays("lag", lag ?? "30d", "30d"), lookupAge: checkDays("lookupAge", lookupAge ?? "180d", "180d") };
}

/**
 * How a build or a refresh ended.
 *
 * @example
 * const { verdict, windows } = await corpus.build({ maxRequests: 500 });
 * console.log(verdict, `${windows.done} of ${windows.total}`); //=> capped 36 of 48
 */
export interface CorpusSummary {
  /** "complete"; "capped" by `maxRequests`; or "stopped" because searches failed. */
  readonly verdict: "complete" | "capped" | "stopped";
  /** Why the verdict is not "complete": "maxRequests", or the code of the error; null if it is. */
  readonly reason: string | null;
  /** HTTP requests of this run, retries included. */
  readonly requests: number;
  /** Windows of all searches: those that are in the tables, and all. */
  readonly windows: { readonly done: number; readonly total: number };
  /** Rows of the tables. */
  readonly mentions: number;
  /** Rows of the tables. */
  readonly hits: number;
  /** Rows of the tables. */
  readonly people: number;
  /** Rows of the tables. */
  readonly programs: number;
  /** Mentions that this run has added. */
  readonly added: number;
  /** Mentions whose content this run has changed. */
  readonly changed: number;
  /** Mentions that no search finds any more. They stay, with the day. */
  readonly vanished: number;
  /** Mentions that had vanished before, and are back. */
  readonly returned: number;
  /** Searches that failed, with their errors. The others have landed; the next run asks for these again. */
  readonly failed: ReadonlyArray<{
    /** Id of the search. */
    readonly search: string;
    readonly query: string;
    /** Code of the error, as in `ArchiveError.code`. */
    readonly code: string;
    readonly message: string;
  }>;
}

/** The searches that failed, in the order of the definition. */
export function failedSearches(
  { searches }: Pick<Definition, "searches">,
  failures: ReadonlyMap<string, ArchiveError>,
): CorpusSummary["failed"] {
  return searches.flatMap(({ id: search, parameters: { query = "" } }) => {
    const error = failures.get(search);
    return error === undefined ? [] : [{ search, query, code: error.code, message: clip(error.message, 500) }];
  });
}
