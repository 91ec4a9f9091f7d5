import { checkedBudget } from "../../call/callOptions.js";
import { abortSignal, checkedOptions, invalid } from "../../errors/validators.js";
import type { RequestBudget } from "../../service/http/requester.js";
import { pluralize } from "../../util/text.js";

/** Options of `build` and `refresh`. */
export interface RunOptions {
  /**
   * HTTP requests to send at most, retries included. The next call resumes. A window that was not read to its end is read again, so a run
   * begins none that it will probably not finish. Default: no limit.
   */
  maxRequests?: number | undefined;
  /** Stops the run. Windows that were read to their end are in the tables, and the next call resumes. */
  signal?: AbortSignal | undefined;
}

/** Options of `refresh`. */
export interface RefreshOptions extends RunOptions {
  /**
   * How long the service may add, change or remove mentions after their day: `"30d"`, `"6w"`. Windows that end earlier than this before
   * they were fetched are not requested again. Default "30d".
   */
  lag?: string | undefined;
}

/** {@link RunOptions} after checking. */
export interface CheckedRunOptions {
  readonly signal: AbortSignal | undefined;
  readonly budget: RequestBudget | undefined;
}

/** @param more the names of further options of a run */
export function checkRunOptions(
  options: object | undefined,
  verb: string,
  more: readonly string[] = [],
): CheckedRunOptions {
  const { maxRequests, signal }: RunOptions = checkedOptions(
    options,
    ["maxRequests", "signal", ...more],
    `option of ${verb}`,
  );
  if (signal !== undefined) abortSignal("signal", signal);
  return { signal, budget: checkedBudget(maxRequests) };
}

/** The days of a lag: "30d", "6w". */
export function checkLag(lag: unknown = "30d"): number {
  const [, number, unit] = (typeof lag === "string" && /^(\d{1,5})([dw])$/.exec(lag.trim())) || [];
  if (number !== undefined) return Number(number) * (unit === "w" ? 7 : 1);
  throw invalid("lag", lag, 'Give a number of days or weeks, for example lag: "30d" or lag: "6w".');
}

/** How much a corpus has: the rows of its tables, and windows. */
export interface CorpusCounts extends Readonly<Record<"mentions" | "hits" | "people" | "programs", number>> {
  /** Windows of all searches: those that are in the tables, and all. */
  readonly windows: { readonly done: number; readonly total: number };
}

/** How a build or a refresh ended. */
export interface CorpusSummary extends CorpusCounts {
  /** "complete"; "capped" by `maxRequests`; or "stopped" because searches failed. */
  readonly verdict: "complete" | "capped" | "stopped";
  /** Why the verdict is not "complete": "maxRequests", or the code of the error; null if it is. */
  readonly reason: string | null;
  /** HTTP requests of this run, retries included. */
  readonly requests: number;
  /** Mentions that this run has added. */
  readonly added: number;
  /** Mentions whose content this run has changed. */
  readonly changed: number;
  /** Mentions that no search finds any more. They stay, with the day. */
  readonly vanished: number;
  /** Mentions that had vanished before, and are back. */
  readonly returned: number;
  /** Searches that failed, with their errors. The others are in the tables; the next run sends these again. */
  readonly failed: readonly FailedSearch[];
}

/** A search that failed. */
export interface FailedSearch {
  /** Its id. */
  readonly search: string;
  /** Its query. */
  readonly query: string;
  /** Code of the error, as in `ArchiveError.code`. */
  readonly code: string;
  /** Its message. */
  readonly message: string;
}

/** The longest search in a line, in characters. */
export const MAX_SEARCH = 60;

/** How many rows the tables have, in words. */
export function tablesText(rows: Pick<CorpusCounts, "mentions" | "hits" | "people" | "programs">): string {
  const [people, programs] = [pluralize(rows.people, "person", "people"), pluralize(rows.programs, "program")];
  return `${pluralize(rows.mentions, "mention")}, ${pluralize(rows.hits, "hit")}, ${people}, ${programs}`;
}
