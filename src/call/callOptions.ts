import { abortSignal, boolean, checkedOptions, faulty, nonNegativeInteger, oneOf, show } from "../errors/validators.js";
import { ENGINES, type Engine, loadEngine } from "../frames/engine.js";
import { isSearch, type OperationName, operations } from "../service/operations/operations.js";
import type { BillsParams, MentionsParams, PeopleParams, ProgramsSearchParams } from "../service/operations/params.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import type { DecidingOption } from "../util/decidingOption.js";
import { FORMATS, type Format } from "./formats.js";

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

/**
 * Options of a search. Four options limit what is fetched:
 *
 * | option | limits | where | default |
 * |---|---|---|---|
 * | `limit` | rows per page | parameter of `mentions` | 20 (the default of the service) for a single page, otherwise `pageSize` |
 * | `pageSize` | rows per page, if several pages are fetched and the call sets no `limit` | client; applies only to `mentions` | 1000, or as many as the service allows |
 * | `maxItems` | rows in total, across pages; 0 sends no request, `Infinity` fetches all | searches, `iterRecords`, `save`, scans, `speechesOnBill` (per query) | one page for a search, otherwise all rows |
 * | `maxRequests` | HTTP requests, retries included | scans, `count`, `speechesOnBill` | no limit |
 */
export interface SearchOptions extends CallOptions {
  /** Maximum number of rows to fetch, across pages; 0 sends no request. Default: one page. */
  maxItems?: number | undefined;
}

/** Options of a call; `format` and `engine` determine the type of the result. */
export type ResultOptions<F, E> = Omit<CallOptions, "format" | "engine"> &
  DecidingOption<Pick<CallOptions, "format">, F> &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/** Options of a search; `format`, `engine` and `maxItems` determine the type of the result. */
export type SearchResultOptions<F, E, M> = ResultOptions<F, E> & DecidingOption<Pick<SearchOptions, "maxItems">, M>;

// Named per search so that editors and error messages show the name instead of the expanded type.

type AnyFormat = Format | undefined;
type AnyEngine = Engine | undefined;
type AnyMaximum = number | undefined;

/**
 * Parameters and options of `bills`, besides the query.
 *
 * @typeParam F its `format`
 * @typeParam E its `engine`
 * @typeParam M its `maxItems`
 */
export type BillsOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<BillsParams, "query"> &
  SearchResultOptions<F, E, M>;

/** Parameters and options of `mentions`, besides the query. Type parameters as in {@link BillsOptions}. */
export type MentionsOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<MentionsParams, "query"> &
  SearchResultOptions<F, E, M>;

/** Parameters and options of `people`. Type parameters as in {@link BillsOptions}. */
export type PeopleOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = PeopleParams & SearchResultOptions<F, E, M>;

/** Parameters and options of `programsSearch`, besides the query. Type parameters as in {@link BillsOptions}. */
export type ProgramsSearchOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<ProgramsSearchParams, "query"> &
  SearchResultOptions<F, E, M>;

/** A call after checking. */
export interface CheckedCall {
  readonly request: ArchiveRequest;
  readonly format: Format;
  readonly engine: Engine;
  readonly maxItems: number | undefined;
  readonly signal: AbortSignal | undefined;
}

const COMMON_OPTIONS = ["format", "engine", "signal", "unchecked"];

/** Checks the options of a call and the parameters of its operation. */
export function checkCall(
  operation: OperationName,
  first: unknown,
  options: object | undefined,
  defaults: { readonly outputFormat: Format; readonly engine: Engine },
  callOptions: readonly string[] = isSearch(operation) ? [...COMMON_OPTIONS, "maxItems"] : COMMON_OPTIONS,
): CheckedCall {
  const positional = first ?? undefined;
  const { parameters, first: name } = operations[operation];
  const known = [...Object.keys(parameters), ...callOptions];
  const given = checkedOptions(options as Record<string, unknown> | undefined, known, `option of ${operation}`);
  if (positional !== undefined && given[name] !== undefined) {
    const hint = `Give it once, for example ${operation}(${show(positional)}).`;
    throw faulty(name, `it was given twice, as ${show(positional)} and as ${show(given[name])}`, hint);
  }
  const { format, engine, maxItems, signal, unchecked } = given;
  if (unchecked !== undefined) boolean("unchecked", unchecked);
  const call = {
    request: buildRequest(operation, positional === undefined ? given : { ...given, [name]: positional }),
    format: format === undefined ? defaults.outputFormat : oneOf("format", format, FORMATS),
    engine: engine === undefined ? defaults.engine : oneOf("engine", engine, ENGINES),
    maxItems: maxItems === undefined ? undefined : checkedMaxItems(maxItems),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
  if (call.format === "dataframe") loadEngine(call.engine);
  return call;
}

/** Checks a number of rows; `Infinity` means all. */
export function checkedMaxItems(maxItems: unknown): number {
  return maxItems === Number.POSITIVE_INFINITY ? maxItems : nonNegativeInteger("maxItems", maxItems, 500);
}
