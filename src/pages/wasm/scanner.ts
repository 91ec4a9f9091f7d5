// The page scanner turns JSON in linear memory into records of rows and Arrow columns. It does not allocate: the host chooses
// all positions. It may read a zero byte and 32 more after inputs, and write up to 32 bytes beyond outputs.

export { keyAt } from "./hash";
export { addMember, beginSchema, schemaBytes } from "./schema";
export { beginRows, recordsEnd, scanRow, scanRows, skipString, skipValue } from "./rows";
export { column, setRuns } from "./columns";
import { State } from "./state";

/** The first position available to the host. */
export function heapBase(): usize {
  return (__heap_base + 63) & ~63;
}

/** Results for the host. */
export function failure(): i32 { return State.failure; }
export function irregular(): i32 { return State.irregular; }
export function nulls(): i32 { return State.nulls; }
export function validityBytes(): usize { return State.validityBytes; }
export function valuesAt(): usize { return State.valuesAt; }
export function valueBytes(): usize { return State.valueBytes; }
export function textAt(): usize { return State.textAt; }
export function textBytes(): usize { return State.textBytes; }
