import { invalid } from "../errors/validators.js";
import { isCursor, isMetadata } from "../pages/metadata.js";
import type { RowOf } from "../service/operations/interfaces.js";
import type { OperationName, Operations } from "../service/operations/operations.js";
import { isPlainObject, isPromise } from "../util/isObject.js";
import { isDanfoFrame } from "./danfo.js";
import { frameRecords, isPolarsFrame } from "./engine.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";

/**
 * Extracts the rows from anything that contains rows:
 *
 * - a list: its items; scalars become `{ value }` rows
 * - a polars or danfo frame: its rows; polars timestamps become Date
 * - an object with a list of objects: the first such list
 * - an object with pagination metadata only (a cursor in any spelling): no rows
 * - any other object: one row
 *
 * The values are `unknown`, because the types of polars frames do not follow filters and joins. Name the type of the rows:
 * `toRecords<FrameRow<"mentions">>(frame)`. It is not checked.
 *
 * @typeParam R the type of a row, see {@link FrameRow}
 * @param data a decoded response body, a list of rows, or a frame
 * @example
 * toRecords({ cursor: "VdRM", bills: [{ id: 1 }] }); //=> [{ id: 1 }]
 * toRecords({ cursor: "VdRM" });                     //=> []
 * toRecords({ id: 683870, title: "House Session" }); //=> [{ id: 683870, title: "House Session" }]
 * toRecords(["a", "b"]);                             //=> [{ value: "a" }, { value: "b" }]
 */
export function toRecords<R extends object = Record<string, unknown>>(data: unknown): R[] {
  return rowsOf(data) as R[];
}

function rowsOf(data: unknown): Record<string, unknown>[] {
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
