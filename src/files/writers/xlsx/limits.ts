/** What a workbook holds at most. */
export interface Limits {
  /** Rows of a sheet, its header included. */
  readonly rows: number;
  /** Columns of a sheet. */
  readonly columns: number;
  /** Bytes of a sheet before compression: Excel takes the larger ones of ZIP64 for damaged. */
  readonly bytes: number;
}

/** The limits of Excel; a row that begins below `bytes` may end above, so there is room left to 2^32. */
export const LIMITS: Limits = { rows: 1_048_576, columns: 16_384, bytes: 4e9 };

/** UTF-16 units of the text of a cell. */
export const CELL_LENGTH = 32_767;
