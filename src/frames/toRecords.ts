import { cursorRank, isMetadata } from "../service/json/metadata.js";
import { isPlainObject } from "../util/isObject.js";
import { ENGINES, engines } from "./engine.js";
import type { FrameEngine } from "./frameEngine.js";

/**
 * The rows in anything that holds rows.
 *
 * A list is the rows; of an object the first member that is a list of objects is; an object of pagination metadata alone
 * (a cursor in any spelling) is no rows; any other object is one row. A list of scalars becomes `{ value }` rows. A frame
 * gives its rows, timestamps as Date.
 *
 * @param data a decoded body, a list of rows, or a frame
 * @example
 * toRecords({ cursor: "VdRM", bills: [{ id: 1 }] }); //=> [{ id: 1 }]
 * toRecords({ cursor: "VdRM" });                     //=> []
 * toRecords({ id: 683870, title: "House Session" }); //=> [{ id: 683870, title: "House Session" }]
 * toRecords(["a", "b"]);                             //=> [{ value: "a" }, { value: "b" }]
 */
export function toRecords(data: unknown): Record<string, unknown>[] {
  if (data === null || data === undefined) return [];
  if (Array.isArray(data)) return data.map(asRow);
  for (const engine of ENGINES) {
    const { isFrame, toRecords: rows } = engines[engine] as FrameEngine<unknown>;
    if (isFrame(data)) return rows(data);
  }
  if (!isPlainObject(data)) return [asRow(data)];
  const members = Object.entries(data);
  const list = members.find(([, value]) => Array.isArray(value) && value.length > 0 && value.every(isPlainObject));
  if (list !== undefined) return list[1] as Record<string, unknown>[];
  // An empty list beside a cursor is a page without rows, not a row with an empty list.
  const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
  const hasEmptyList = members.some(([, value]) => isEmptyList(value));
  const isOfPage = (name: string) => (hasEmptyList ? isMetadata(name) : cursorRank(name) > 0);
  return members.every(([name, value]) => isOfPage(name) || isEmptyList(value)) ? [] : [data];
}

function asRow(item: unknown): Record<string, unknown> {
  return isPlainObject(item) ? item : { value: item };
}
