import { CELLS_PER_VALUE, checkCells } from "./cellLimit.js";
import { IrregularRows } from "./irregularRows.js";
import { joinChunks } from "./joinChunks.js";
import { MemberTree } from "./memberTree.js";
import type { PolarsFrame } from "./polars.js";

/**
 * Builds a frame from all rows of a result, whatever their form; the declared columns come first. Because all rows are known,
 * columns have the names of their members unless two columns would share a name.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` for a large frame that would be nearly empty
 */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  const irregular = new IrregularRows(new MemberTree(declared));
  irregular.add(rows);
  checkCells(irregular.size, CELLS_PER_VALUE * irregular.values);
  return joinChunks(declared, [irregular.chunk({ simple: true })]);
}
