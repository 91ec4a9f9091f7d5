import type { OperationName, Operations, RowOf } from "../service/operations/operations.js";

/**
 * A row of a polars frame with the declared columns of an operation: timestamps are Date, missing values null. TypeScript cannot
 * see what a frame holds, so this is a claim: use `Pick` after a `select`, and add the columns of your own.
 *
 * @example
 * const frame = await archive.mentions("climate");
 * const [row] = toRecords<FrameRow<"mentions">>(frame);
 * row?.begintime?.getUTCFullYear(); //=> 2026
 * const names = toRecords<Pick<FrameRow<"mentions">, "person">>(frame.select("person"));
 */
export type FrameRow<N extends OperationName> = {
  [C in keyof RowOf<N> as string extends C ? never : C]-?: Column<N, C> | null;
};

type Column<N extends OperationName, C extends keyof RowOf<N>> = C extends keyof Operations[N]["columns"]
  ? Operations[N]["columns"][C] extends "datetime"
    ? Date
    : NonNullable<RowOf<N>[C]>
  : never;
