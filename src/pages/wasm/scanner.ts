// The page scanner turns JSON in linear memory into records of rows and Arrow columns. It does not allocate: the host chooses
// all positions. It may read a zero byte and 32 more after inputs, and write up to 32 bytes beyond outputs.

export { keyAt } from "./hash";
export { failure } from "./values";
export { addMember, beginShape, shapeBytes } from "./shape";
export { beginRows, irregular, recordsEnd, scanRow, scanRows, skipString, skipValue } from "./rows";
export { column, nulls, setRuns, textAt, textBytes, validityBytes, valueBytes, valuesAt } from "./columns";

/** The first position available to the host. */
export function heapBase(): usize {
  return (__heap_base + 63) & ~63;
}
