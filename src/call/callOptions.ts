import { ValidationError } from "../errors/index.js";
import { abortSignal, boolean, checkedOptions, nonNegativeInteger, oneOf, show } from "../errors/validators.js";
import { ENGINES, type Engine, engines } from "../frames/engine.js";
import { isSearch, type OperationName, operations } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import type { DecidingOption } from "../util/decidingOption.js";
import { FORMATS, type Format } from "./formats.js";

/** Options of every call, besides the parameters of its operation. */
export interface CallOptions {
  /** "dataframe", "json" (the body as sent), "records" (its rows) or "csv". Default: the client's. */
  format?: Format | undefined;
  /** The library that a frame comes in, "polars" or "danfo". Default: the client's. */
  engine?: Engine | undefined;
  /**
   * Send what the service is known to refuse: the public id of a program, a range of dates in a query of programs. Default
   * false: such a call is refused before any request.
   */
  unchecked?: boolean | undefined;
  /** Stops the call; what was fetched is at `error.partial`. */
  signal?: AbortSignal | undefined;
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /** Follow the cursor until so many rows are there. Without it one page is fetched; 0 asks for nothing. */
  maxItems?: number | undefined;
}

/** The options that decide the type of a result, for a signature to infer. */
export type ResultOptions<F, E> = DecidingOption<"format", F> & DecidingOption<"engine", E>;

/** The same of a search. */
export type SearchResultOptions<F, E, M> = ResultOptions<F, E> & DecidingOption<"maxItems", M>;

/** A call after checking. */
export interface CheckedCall {
  readonly request: ArchiveRequest;
  readonly format: Format;
  readonly engine: Engine;
  readonly maxItems: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Checks a call: its options, then the parameters of the operation.
 *
 * @param first the parameter that was given without its name, if one was
 * @throws ValidationError before anything is sent
 */
export function checkCall(
  operation: OperationName,
  first: unknown,
  options: object | undefined,
  defaults: { readonly outputFormat: Format; readonly engine: Engine },
  callOptions: readonly string[] = [
    "format",
    "engine",
    "signal",
    "unchecked",
    ...(isSearch(operation) ? ["maxItems"] : []),
  ],
): CheckedCall {
  const leading = first ?? undefined;
  const { parameters, first: name } = operations[operation];
  const known = [...Object.keys(parameters), ...callOptions];
  const given = checkedOptions(options as Record<string, unknown> | undefined, known, `option of ${operation}`);
  if (leading !== undefined && given[name] !== undefined) {
    throw new ValidationError(`invalid ${name}: it is given twice, as ${show(leading)} and as ${show(given[name])}.`, {
      hint: `Give it once, for example ${operation}(${show(leading)}).`,
      parameter: name,
    });
  }
  const { format, engine, maxItems, signal, unchecked } = given;
  if (unchecked !== undefined) boolean("unchecked", unchecked);
  const call = {
    request: buildRequest(operation, leading === undefined ? given : { ...given, [name]: leading }),
    format: format === undefined ? defaults.outputFormat : oneOf("format", format, FORMATS),
    engine: engine === undefined ? defaults.engine : oneOf("engine", engine, ENGINES),
    maxItems: maxItems === undefined ? undefined : nonNegativeInteger("maxItems", maxItems, 500),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
  if (call.format === "dataframe") engines[call.engine].load();
  return call;
}
