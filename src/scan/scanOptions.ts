import { ValidationError } from "../errors/index.js";
import { checkedOptions } from "../errors/validators.js";
import { isObject } from "../util/isObject.js";

/**
 * Limits of one run of a scan. For `limit`, `pageSize`, `maxItems` and `maxRequests` side by side see {@link SearchOptions}.
 */
export interface ScanOptions {
  /** Rows to fetch from the service at most, counted before any verb. 0 sends no request. Default: all rows. */
  maxItems?: number | undefined;
  /**
   * HTTP requests to send at most, retries and redirects included. If that is not enough, the verdict of the result is
   * "capped". Default: no limit.
   */
  maxRequests?: number | undefined;
  /** Aborts the run. The error has the rows fetched so far as `partial`. */
  signal?: AbortSignal | undefined;
}

/** The names of {@link ScanOptions}. */
export const RUN_OPTIONS: readonly string[] = ["maxItems", "maxRequests", "signal"];

/**
 * Checks the names of the options of a run.
 *
 * @param more further options that the method takes
 * @throws ValidationError for an unknown option; for `rows`, the former name of `batchSize`, it names the new one
 */
export function checkedRunOptions<T extends object>(
  given: T | undefined,
  more: readonly string[],
  what: string,
): Partial<T> {
  if (more.includes("batchSize") && isObject(given) && "rows" in given) {
    throw new ValidationError('invalid option of batches: "rows".', {
      hint: "It is now called batchSize, for example batches({ batchSize: 1000 }).",
      parameter: "rows",
    });
  }
  return checkedOptions(given, [...RUN_OPTIONS, ...more], what);
}
