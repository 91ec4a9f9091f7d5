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
