import type { ParametersOf, RowOf } from "../service/operations/interfaces.js";
import type { OperationName, SearchName } from "../service/operations/operations.js";
import type { RowCount } from "../service/paging/countRows.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { DecidingOption } from "../util/decidingOption.js";
import type { Engine, FrameTypes } from "../util/frameTypes.js";
import type { Period } from "../util/period.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** One report per `withPeople` or `withPrograms` join. */
    lookups?: readonly LookupReport[];
    /** For results of `sample`: what the rows were drawn from, and what they represent. */
    sample?: SampleReport;
  }
}

/** The format of a result: a dataframe, the JSON body as sent, its rows, or CSV text. */
export type Format = "dataframe" | "json" | "records" | "csv";

/** All formats, the default first. */
export const FORMATS: readonly Format[] = ["dataframe", "json", "records", "csv"];

/** The JSON body of a response, parsed. */
export type Body = Record<string, unknown>;

/** The type of a result, by `format`, `engine` (dataframes) and `maxItems` (JSON: several pages have no single body, so it is a list of rows). */
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
  /** Dataframe library of the result, "polars" or "danfo". Default: `engine` of the client. */
  engine?: Engine | undefined;
  /**
   * Send requests that the service is known to refuse or misread: the public id of a program, a date range in a program query,
   * quotation marks that do not form a phrase. Default false: such a call throws before any request.
   */
  unchecked?: boolean | undefined;
  /** Aborts the call. The error has the rows fetched so far as `partial`. */
  signal?: AbortSignal | undefined;
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /** Maximum number of rows to fetch, across pages; 0 sends no request, `Infinity` fetches all. Default: one page. */
  maxItems?: number | undefined;
}

/** Options of a call; `format` and `engine` determine the type of the result. */
export type ResultOptions<F, E> = Omit<CallOptions, "format" | "engine"> &
  DecidingOption<Pick<CallOptions, "format">, F> &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/** Options of a search; `format`, `engine` and `maxItems` determine the type of the result. */
export type SearchResultOptions<F, E, M> = ResultOptions<F, E> & DecidingOption<Pick<SearchOptions, "maxItems">, M>;

/**
 * Parameters and options of a search. The query is positional, and for `people` it may be one of them instead.
 *
 * @typeParam N the search; F its `format`, E its `engine`, M its `maxItems`
 */
export type SearchCallOptions<
  N extends SearchName,
  F = Format | undefined,
  E = Engine | undefined,
  M = number | undefined,
> = (N extends "people" ? ParametersOf<N> : Omit<ParametersOf<N>, "query">) & SearchResultOptions<F, E, M>;

/** The number of rows of a search, and its `verdict`: "exact", or "at least" if there may be more; `reason` then says why. */
export interface Count extends RowCount {
  /** HTTP requests sent, retries included. Of periods, those for several of them together count in the first. */
  readonly requests: number;
}

/** Options of a count, in addition to the parameters of the search. */
export interface CountOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /**
   * Maximum number of HTTP requests, retries included; beyond it the verdict is "at least". Default: no limit where page numbers work,
   * otherwise 50 pages per search.
   */
  maxRequests?: number | undefined;
}

/** Parameters of a search to count. A count starts at the first page, and the query is a positional argument. */
export type CountParameters<N extends SearchName> = Omit<ParametersOf<N>, "query" | "cursor" | "page">;

/** Options of a count by group, which returns a frame. */
export type CountByOptions<E> = CountParameters<"mentions"> &
  CountOptions &
  DecidingOption<Pick<CallOptions, "engine">, E> & {
    /** One row per Congress, year, quarter, month, week (from Monday) or day, in UTC. Requires `mindate` and `maxdate`, or `congress`. */
    by: Period;
  };

/** Options of a sample, in addition to the parameters of the search. */
export interface SampleOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /** Rows to draw. If the search has fewer, the sample is all of them. */
  rows: number;
  /** Random seed: the same seed draws the same rows as long as the search result does not change. Default 1. */
  seed?: number | undefined;
  /**
   * Pages to draw from, at one request each. Rows of one `page` tend to be similar, which `rates` and `compare` allow for: more pages give
   * shorter intervals. Default 20.
   */
  pages?: number | undefined;
}

/** All options of a sample; `engine` determines the type of the result. */
export type SampleArguments<E> = CountParameters<"mentions"> &
  SampleOptions &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/** What the rows of a sample were drawn from. Each row of the search was equally likely; rows of one page may resemble each other. */
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
  /** The column with the ids. Default `"personid"` or `"programid"`. */
  on?: string | undefined;
  /** The documented members to add, for example `["name", "title"]`. Default: all except `id`, undocumented ones too. */
  columns?: readonly string[] | undefined;
  /** Prefix of the added columns. Default `"person_"` or `"program_"`. */
  prefix?: string | undefined;
  /** Maximum number of HTTP requests, retries included. The other ids are not looked up; see {@link LookupReport}. Default: no limit. */
  maxRequests?: number | undefined;
}

/**
 * What `withPeople` or `withPrograms` looked up. `found`, `unresolved` and `notAsked` add up to `ids`; an id that the client has looked up
 * before costs no request. The verdict is "capped" if `maxRequests` skipped ids, and "stopped" in the partial result of a failed call.
 *
 * @example
 * provenanceOf(await archive.withPeople(frame))?.lookups?.[0]?.unresolved; //=> ["6153999"]
 */
export interface LookupReport
  extends Readonly<
    Pick<Provenance, "requests" | "verdict" | "reason" | "firstResponseAt" | "lastResponseAt" | "sha256">
  > {
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
}
