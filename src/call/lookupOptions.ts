import type { Verdict } from "../service/paging/provenanceRecorder.js";
import type { CallOptions } from "./callOptions.js";
import type { LookupName } from "./rowLookup.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** One report per `withPeople` or `withPrograms` join. */
    lookups?: readonly LookupReport[];
  }
}

/** Options of {@link ArchiveClient.withPeople} and {@link ArchiveClient.withPrograms}. */
export interface LookupOptions extends Pick<CallOptions, "signal"> {
  /** The column with the ids. Default `"personid"` or `"programid"`. */
  on?: string | undefined;
  /** The members to add, for example `["name", "title"]`. Default: all except `id`. */
  columns?: readonly string[] | undefined;
  /** Prefix of the added columns. Default `"person_"` or `"program_"`. */
  prefix?: string | undefined;
  /** Maximum number of HTTP requests, retries included. The other ids are not looked up; see {@link LookupReport}. Default: no limit. */
  maxRequests?: number | undefined;
}

/**
 * What `withPeople` or `withPrograms` looked up. `found`, `unresolved` and `notAsked` add up to `ids`.
 *
 * @example
 * provenanceOf(await archive.withPeople(frame))?.lookups?.[0]?.unresolved; //=> ["6153999"]
 */
export interface LookupReport {
  /** The operation used to look up an id. */
  readonly operation: LookupName;
  /** The column with the ids. */
  readonly on: string;
  /** Distinct ids in the column, without unidentified speakers (999999). */
  readonly ids: number;
  /** Ids that the archive knows. */
  readonly found: number;
  /** Ids that the archive does not know, and values that are not ids. */
  readonly unresolved: readonly string[];
  /** Ids skipped because of `maxRequests`. */
  readonly notAsked: readonly string[];
  /** HTTP requests sent, retries included. Ids that the client already knows cost none. */
  readonly requests: number;
  /** "capped" if `maxRequests` skipped ids; "stopped" in the partial result of a failed call. */
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
