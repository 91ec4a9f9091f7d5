import type { Engine, FrameTypes } from "../frames/engine.js";
import type { OperationName, RowOf } from "../service/operations/operations.js";

/** The format of a result: a dataframe, the JSON body as sent, its rows, or CSV text. */
export type Format = "dataframe" | "json" | "records" | "csv";

/** All formats, the default first. */
export const FORMATS: readonly Format[] = ["dataframe", "json", "records", "csv"];

/** The JSON body of a response, parsed. */
export interface Body {
  [member: string]: unknown;
}

/**
 * The type of a result, by `format`, `engine` (dataframes) and `maxItems` (JSON: several pages have no single body, so the result
 * is the list of rows).
 */
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
