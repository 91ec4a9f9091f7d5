import { ArchiveError } from "../errors/index.js";

/** Cells beyond the declared columns that any frame may have. */
const FREE_CELLS = 3_000_000;
/** What a column costs by itself, in cells: polars keeps some kilobytes for each, and takes up to 60 µs to make it. */
const CELLS_PER_COLUMN = 300;

/** Where all rows are there already, a large frame may have so many cells for each value in it. */
export const CELLS_PER_VALUE = 10;

/** How large a frame would be, apart from its declared columns. */
export interface FrameSize {
  readonly rows: number;
  /** Columns that are not declared. */
  readonly columns: number;
  /** Characters of their names. */
  readonly nameLength: number;
}

/**
 * Refuses a frame that is nearly empty and very large: rows that each have members of their own make a frame that grows
 * with the square of what was sent. About ten thousand columns are possible; cells that were sent are never refused.
 *
 * @param sent how much was sent, in bytes or in a like measure
 * @throws ArchiveError `TOO_MANY_CELLS`
 */
export function checkCells({ rows, columns, nameLength }: FrameSize, sent: number): void {
  const allowed = Math.max(FREE_CELLS, sent);
  if (columns * (rows + CELLS_PER_COLUMN) <= allowed && nameLength <= allowed) return;
  const count = (value: number) => value.toLocaleString("en");
  throw new ArchiveError(
    rows === 1
      ? `A row has ${count(columns)} members that are not declared, which are too many columns for a frame.`
      : `${count(rows)} rows have ${count(columns)} different members, which makes a frame of nearly nothing but empty cells.`,
    {
      code: "TOO_MANY_CELLS",
      hint: 'Take the rows as they are: format: "records" or "json", or iterRecords(…).',
    },
  );
}
