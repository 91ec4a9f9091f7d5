import { CELLS_PER_VALUE, checkCells } from "./cellLimit.js";
import { IrregularRows } from "./irregularRows.js";
import { joinChunks } from "./joinChunks.js";
import { MemberTree } from "./memberTree.js";
import type { PolarsFrame } from "./polars.js";

/**
 * A frame of rows of any form, after the declared columns. These are all rows that there are, so that columns are called as the
 * members are wherever no two would have one name.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` for a large frame that would be nearly empty
 */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  const loose = new IrregularRows(new MemberTree(declared));
  loose.add(rows);
  checkCells(loose.size, CELLS_PER_VALUE * loose.values);
  return joinChunks(declared, [loose.chunk({ simple: true })]);
}
