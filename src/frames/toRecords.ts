import { invalid } from "../errors/validators.js";
import { isCursor, isMetadata } from "../pages/metadata.js";
import type { OperationName, Operations, RowOf } from "../service/operations/operations.js";
import { isPlainObject, isPromise } from "../util/objects.js";
import { isDanfoFrame } from "./danfo.js";
import { frameRecords, isPolarsFrame } from "./engine.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";

/**
 * Extracts the rows from anything that contains rows:
 *
 * - a list: its items; scalars become `{ value }` rows
 * - a polars or danfo frame: its rows; polars timestamps become Date
 * - an object with a list of objects: the first such list
 * - an object with a cursor only: no rows
 * - any other object: one row
 *
 * The values are `unknown`. Name the type of the rows, which is not checked: `toRecords<FrameRow<"mentions">>(frame)`.
 *
 * @typeParam R the type of a row, see {@link FrameRow}
 * @example
 * toRecords({ cursor: "VdRM", bills: [{ id: 1 }] }); //=> [{ id: 1 }]
 */
export function toRecords<R extends object = Record<string, unknown>>(data: unknown): R[] {
  return extractRows(data) as R[];
}

function extractRows(data: unknown): Record<string, unknown>[] {
  if (data === null || data === undefined) return [];
  if (isPromise(data)) throw invalid("data", data, "");
  if (Array.isArray(data)) return data.map(asRow);
  if (isPolarsFrame(data) || isDanfoFrame(data)) return setProvenance(frameRecords(data), provenanceOf(data));
  if (!isPlainObject(data)) return [asRow(data)];
  const members = Object.entries(data);
  const list = members.find(([, value]) => Array.isArray(value) && value.length > 0 && value.every(isPlainObject));
  if (list !== undefined) return list[1] as Record<string, unknown>[];
  // An object with an empty list and a cursor is an empty page, not a row that contains an empty list.
  const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
  const hasEmptyList = members.some(([, value]) => isEmptyList(value));
  const isPageMember = (name: string) => (hasEmptyList ? isMetadata(name) : isCursor(name));
  return members.every(([name, value]) => isPageMember(name) || isEmptyList(value)) ? [] : [data];
}

function asRow(item: unknown): Record<string, unknown> {
  return isPlainObject(item) && Object.prototype.toString.call(item) === "[object Object]" ? item : { value: item };
}

/**
 * A row of a polars frame with the declared columns of an operation: timestamps are Date, missing values null. The type is not checked: use
 * `Pick` after a `select`.
 *
 * @example
 * const frame = await archive.mentions("climate");
 * const [row] = toRecords<FrameRow<"mentions">>(frame);
 * row?.begintime?.getUTCFullYear(); //=> 2026
 */
export type FrameRow<N extends OperationName> = {
  [C in keyof RowOf<N> as string extends C ? never : C]-?: Column<N, C> | null;
};

type Column<N extends OperationName, C extends keyof RowOf<N>> = C extends keyof Operations[N]["columns"]
  ? Operations[N]["columns"][C] extends "datetime"
    ? Date
    : NonNullable<RowOf<N>[C]>
  : never;
