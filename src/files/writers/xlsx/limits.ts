/** Size limits of a sheet. */
export interface Limits {
  /** Rows, including the header. */
  readonly rows: number;
  readonly columns: number;
  /** Bytes before compression. Excel considers larger sheets, which need ZIP64, damaged. */
  readonly bytes: number;
}

/** The limits of Excel. `bytes` leaves room below 2^32 for the row that exceeds it. */
export const LIMITS: Limits = { rows: 1_048_576, columns: 16_384, bytes: 4e9 };

/** Maximum length of the text of a cell, in UTF-16 units. */
export const MAX_CELL_LENGTH = 32_767;
