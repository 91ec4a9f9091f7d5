import type { Engine, FrameTypes } from "../frames/engine.js";
import type { OperationName, RowOf } from "../service/operations/operations.js";

/** What a call answers with: a frame, the body as it was sent, its rows, or CSV. */
export type Format = "dataframe" | "json" | "records" | "csv";

/** The formats, the default first. */
export const FORMATS: readonly Format[] = ["dataframe", "json", "records", "csv"];

/** A decoded body, as the service sent it. */
export interface Body {
  [member: string]: unknown;
}

/**
 * The result of an operation: by `format` (default "dataframe"), by `engine` where it is a frame, and by `maxItems`,
 * with which json is the list of rows, since there is no single body.
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
