import { CELLS_PER_VALUE, checkCells } from "./cellLimit.js";
import { type Chunk, chunkOf } from "./chunk.js";
import { IrregularRows, storedType } from "./irregularRows.js";
import { joinChunks } from "./joinChunks.js";
import { MemberTree } from "./memberTree.js";
import type { PolarsFrame } from "./polars.js";
import { warnOfNames } from "./warnOfNames.js";

/**
 * Builds a frame from all rows of a result, whatever their form; the declared columns come first. Because all rows are known,
 * columns have the names of their members unless two columns would share a name.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` for a large frame that would be nearly empty
 */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  return joinChunks(declared, [irregularChunk(declared, rows)]);
}

/** The same before its columns have their final types. */
export function irregularChunk(declared: ReadonlyMap<string, number>, rows: readonly object[]): Chunk {
  const irregular = new IrregularRows(new MemberTree(declared));
  for (const row of rows) irregular.add(row);
  checkCells(irregular.size, CELLS_PER_VALUE * irregular.values);
  const columns = irregular
    .columns({ simple: true })
    .map((column) => ({ ...column, stored: storedType(column, column.declared) }));
  warnOfNames(columns);
  const { bytes, tape } = irregular.scan(columns);
  const run = { tape, from: 0, rows: rows.length, base: 0 };
  return chunkOf(new Map(columns.map((column) => [column.name, column])), [run], bytes);
}
