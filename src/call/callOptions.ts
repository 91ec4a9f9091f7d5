import { nonNegativeInteger } from "../errors/validators.js";
import { RequestBudget } from "../service/http/requester.js";
import type { OperationName, ParametersOf, RowOf, SearchName } from "../service/operations/operations.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { RowCount } from "../service/paging/rowCounter.js";
import type { DecidingOption, Engine, FrameTypes } from "../util/frameTypes.js";
import type { Period } from "../util/period.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** One report per `withPeople` or `withPrograms` join. */
    lookups?: readonly LookupReport[];
    /** For results of `sample`: what the rows were drawn from, and what they represent. */
    sample?: SampleReport;
  }
}

/** The format of a result. */
export type Format = "dataframe" | "json" | "records" | "csv";

/** All formats, the default first. */
export const FORMATS: readonly Format[] = ["dataframe", "json", "records", "csv"];

/** The JSON body of a response. */
export type Body = Record<string, unknown>;

/** The type of a result, by `format`, `engine` and `maxItems`. */
export type Result<
  N extends OperationName,
  F extends Format,
  E extends Engine,
  M extends number | undefined = undefined,
> = F extends "dataframe"
  ? FrameTypes[E]
  : F extends "json"
    ? M extends number
      ? RowOf<N>[]
      : Body
    : F extends "records"
      ? RowOf<N>[]
      : string;

/** Options of every call, in addition to the parameters of its operation. */
export interface CallOptions {
  /** Format of the result: "dataframe", "json" (the body as sent), "records" (its rows) or "csv". Default: `outputFormat` of the client. */
  format?: Format | undefined;
  /** "polars" or "danfo". Default: `engine` of the client. */
  engine?: Engine | undefined;
  /**
   * Send what the service is known to refuse or misread: the public id of a program, a date range in a program query, quotation marks that
   * do not form a phrase. Default false: such a call throws before any request.
   */
  unchecked?: boolean | undefined;
  /** Aborts the call. The error has the rows fetched so far as `partial`. */
  signal?: AbortSignal | undefined;
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /** Rows to fetch at most, across pages; 0 sends no request, `Infinity` fetches all. Default: one page. */
  maxItems?: number | undefined;
}

/** Options of a call; `format` and `engine` determine the type of the result. */
export type ResultOptions<F, E> = Omit<CallOptions, "format" | "engine"> &
  DecidingOption<Pick<CallOptions, "format">, F> &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/** Options of a search; `format`, `engine` and `maxItems` determine the type of the result. */
export type SearchResultOptions<F, E, M> = ResultOptions<F, E> & DecidingOption<Pick<SearchOptions, "maxItems">, M>;

/**
 * Parameters and options of a search.
 *
 * @typeParam N the search; F its `format`, E its `engine`, M its `maxItems`
 */
export type SearchCallOptions<
  N extends SearchName,
  F = Format | undefined,
  E = Engine | undefined,
  M = number | undefined,
> = (N extends "people" ? ParametersOf<N> : Omit<ParametersOf<N>, "query">) & SearchResultOptions<F, E, M>;

/** The number of rows of a search, and its `verdict`: "exact", or "at least" if there may be more; `reason` says why. */
export interface Count extends RowCount {
  /** HTTP requests sent. Requests for several periods together count in the first. */
  readonly requests: number;
}

/** Options of a count. */
export interface CountOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /**
   * HTTP requests at most; beyond it the verdict is "at least". Default: no limit where page numbers work, otherwise 50 pages per search.
   */
  maxRequests?: number | undefined;
}

/** Parameters of a search to count. A count starts at the first page, and the query is a positional argument. */
export type CountParameters<N extends SearchName> = Omit<ParametersOf<N>, "query" | "cursor" | "page">;

/** Options of a count by period, which returns a frame. */
export type CountByOptions<E> = CountParameters<"mentions"> &
  CountOptions &
  DecidingOption<Pick<CallOptions, "engine">, E> & {
    /** One row per Congress, year, quarter, month, week (from Monday) or day, in UTC. Requires `mindate` and `maxdate`, or `congress`. */
    by: Period;
  };

/** Options of a sample. */
export interface SampleOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /** Rows to draw. If the search has fewer, the sample is all of them. */
  rows: number;
  /** Random seed: the same seed draws the same rows of the same search. Default 1. */
  seed?: number | undefined;
  /**
   * Pages to draw from, at one request each. Rows of one page tend to be similar, which `rates` and `compare` allow for: more pages give
   * shorter intervals. Default 20.
   */
  pages?: number | undefined;
}

/** Parameters and options of a sample. */
export type SampleArguments<E> = CountParameters<"mentions"> &
  SampleOptions &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/** What a sample was drawn from. */
export interface SampleReport {
  /** Rows of the search. */
  readonly of: number;
  /** Rows in the sample. */
  readonly rows: number;
  /** Pages that the rows were drawn from. */
  readonly pages: number;
  /** Rows per page; null if all rows were fetched by cursor. */
  readonly pageRows: number | null;
  /** The random seed. */
  readonly seed: number;
}

/** The operations that fetch one row by id. */
export type LookupName = "person" | "program";

/** Options of {@link ArchiveClient.withPeople} and {@link ArchiveClient.withPrograms}. */
export interface LookupOptions extends Pick<CallOptions, "signal"> {
  /** The column with the ids. Default: `"personid"` or `"programid"`. */
  on?: string | undefined;
  /** The members to add, for example `["name", "title"]`. Default: all except `id`. */
  columns?: readonly string[] | undefined;
  /** Prefix of the added columns. Default `"person_"` or `"program_"`. */
  prefix?: string | undefined;
  /** HTTP requests at most. The other ids are not looked up. Default: no limit. */
  maxRequests?: number | undefined;
}

/**
 * What `withPeople` or `withPrograms` looked up: `provenanceOf(result)?.lookups`. `found`, `unresolved` and `skipped` add up to `ids`. The
 * verdict is "capped" if `maxRequests` skipped ids.
 */
export interface LookupReport
  extends Readonly<
    Pick<Provenance, "requests" | "verdict" | "reason" | "firstResponseAt" | "lastResponseAt" | "sha256">
  > {
  /** `"person"` or `"program"`. */
  readonly operation: LookupName;
  /** The column with the ids. */
  readonly on: string;
  /** Distinct ids in the column, without unidentified speakers (999999). */
  readonly ids: number;
  /** Ids that the archive knows. */
  readonly found: number;
  /** Ids that the archive does not know. */
  readonly unresolved: readonly string[];
  /** Ids that were not looked up because of `maxRequests`. */
  readonly skipped: readonly string[];
}

/** The budget of a call, if it has one. */
export function checkedBudget(maxRequests: unknown): RequestBudget | undefined {
  if (maxRequests == null) return undefined;
  return new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500));
}
