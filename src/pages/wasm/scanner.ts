// The page scanner: JSON in linear memory to records of rows, columns and lines. No allocation: all positions are given by the host.
// Inputs are followed by a zero byte and 32 more that may be read; up to 32 bytes beyond an output may be written.

export { keyAt } from "./hash";
export { failure } from "./memory";
export { addMember, beginShape, shapeBytes } from "./shape";
export { beginRows, irregular, recordsEnd, scanRow, scanRows, skipString, skipValue } from "./rows";
export { column, nulls, setRuns, textAt, textBytes, validityBytes, valueBytes, valuesAt } from "./columns";
export { csvLines } from "./lines";

/** The first position that the host may use. */
export function heapBase(): usize {
  return (__heap_base + 63) & ~63;
}
