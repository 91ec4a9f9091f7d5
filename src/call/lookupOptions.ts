import type { Verdict } from "../service/paging/provenanceRecorder.js";
import type { CallOptions } from "./callOptions.js";
import type { LookupName } from "./rowLookup.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for results of `withPeople` and `withPrograms`: what was looked up, one report per join. */
    lookups?: readonly LookupReport[];
  }
}

/** Options of {@link ArchiveClient.withPeople} and {@link ArchiveClient.withPrograms}. */
export interface LookupOptions extends Pick<CallOptions, "signal"> {
  /** The column with the ids. Default `"personid"` or `"programid"`. */
  on?: string | undefined;
  /** The members of the people or programs to add, for example `["name", "title"]`. Default: all except `id`. */
  columns?: readonly string[] | undefined;
  /** What the names of the added columns begin with. Default `"person_"` or `"program_"`. */
  prefix?: string | undefined;
  /** HTTP requests to send at most, retries included. Ids beyond that are not looked up; see {@link LookupReport}. Default: no limit. */
  maxRequests?: number | undefined;
}

/**
 * What `withPeople` or `withPrograms` looked up. `found`, `unresolved` and `notAsked` add up to `ids`.
 *
 * @example
 * provenanceOf(await archive.withPeople(frame))?.lookups?.[0]?.unresolved; //=> ["6153999"]
 */
export interface LookupReport {
  /** The operation that looks one id up. */
  readonly operation: LookupName;
  /** The column with the ids. */
  readonly on: string;
  /** Different ids in the column. Unidentified speakers (999999) do not count. */
  readonly ids: number;
  /** Ids with a row in the archive. */
  readonly found: number;
  /** Ids that the archive does not know, and values that are not ids. */
  readonly unresolved: readonly string[];
  /** Ids that `maxRequests` left out. */
  readonly notAsked: readonly string[];
  /** HTTP requests sent, retries included. Ids that the client had looked up before cost none. */
  readonly requests: number;
  /** "capped" if `maxRequests` left out ids; "stopped" in the partial result of a call that failed. */
  readonly verdict: Verdict;
  /** Why the verdict is not "complete"; null if it is. */
  readonly reason: string | null;
  /** When the first response arrived: ISO 8601, UTC; null without a request. */
  readonly firstResponseAt: string | null;
  /** When the last response arrived: ISO 8601, UTC; null without a request. */
  readonly lastResponseAt: string | null;
  /** SHA-256 of the digests of the responses, in hexadecimal. */
  readonly sha256: string;
}
