import { ArchiveError } from "../errors/index.js";

/** Cells in undeclared columns that any frame may have. */
const FREE_CELLS = 3_000_000;
/** The fixed cost of a column, in cells: polars allocates some kilobytes for each and takes up to 60 µs to create it. */
const CELLS_PER_COLUMN = 300;

/** Cells that a large frame may have per value, if all rows are already in memory. */
export const CELLS_PER_VALUE = 10;

/** The size of a frame, without its declared columns. */
export interface FrameSize {
  readonly rows: number;
  /** Undeclared columns. */
  readonly columns: number;
  /** Total length of their names. */
  readonly nameLength: number;
}

/**
 * Refuses a very large, nearly empty frame: if every row has members of its own, the frame grows with the square of the data
 * received. About ten thousand columns are possible. A frame with a value in every cell is never refused.
 *
 * @param received the amount of data received: bytes, or a comparable measure
 * @throws ArchiveError `TOO_MANY_CELLS`
 */
export function checkCells({ rows, columns, nameLength }: FrameSize, received: number): void {
  const allowed = Math.max(FREE_CELLS, received);
  if (columns * (rows + CELLS_PER_COLUMN) <= allowed && nameLength <= allowed) return;
  const count = (value: number) => value.toLocaleString("en");
  throw new ArchiveError(
    rows === 1
      ? `A row has ${count(columns)} undeclared members, too many for the columns of a frame.`
      : `${count(rows)} rows have ${count(columns)} different members: the frame would consist almost entirely of empty cells.`,
    {
      code: "TOO_MANY_CELLS",
      hint: 'Read the rows without a frame: format: "records" or "json", or iterRecords(…).',
    },
  );
}

/** A page that makes the frame too large. The cause is the error for the user. */
export class UnusablePageError extends Error {
  declare readonly cause: ArchiveError;

  /** @param page the number of pages before it */
  constructor(
    readonly page: number,
    cause: ArchiveError,
  ) {
    super("a page cannot be used", { cause });
  }
}
