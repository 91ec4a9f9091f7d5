/**
 * All that the scanner remembers between its functions. The host copies bytes in, calls functions and copies results out in one step, so
 * nothing lasts from one page to the next but the schema.
 */
export class State {
  // Failures.
  /** Why a scan failed: 1 not JSON, 2 nested too deeply, 3 memory cannot grow, 4 a row is not an object, 5 no space for records. */
  static failure: i32 = 0;

  // The schema: see `schema.ts`.
  /** The positions of the members, and of the first member of each slot. */
  static members: usize = 0;
  static slots: usize = 0;
  /** The number of slots, less one. */
  static mask: usize = 0;
  static count: i32 = 0;
  /** The member called id; -1 if there is none. */
  static idMember: i32 = -1;

  // The last value that was read.
  /** Whether the last string has escapes, and whether one of them is a lone surrogate. */
  static escaped: bool = false;
  static lone: bool = false;
  /** The last number, timestamp or bits of a float. */
  static value: i64 = 0;
  /** The value of the last member named id of the last row; 0 if there is none. */
  static idStart: usize = 0;
  static idEnd: usize = 0;

  // The rows of a body or of a run: see `rows.ts`.
  /** The base of offsets. */
  static base: usize = 0;
  /** The next record, the end of the space for records, and the bytes of one. */
  static record: usize = 0;
  static limit: usize = 0;
  static stride: usize = 0;
  /** The order of the schema's members in the last row. Rows nearly always have the same order. */
  static order: usize = 0;
  /** The number of rows that do not fit the schema; their records have no cells. */
  static irregular: i32 = 0;

  // The columns: see `columns.ts`.
  /** The runs of rows. */
  static runs: usize = 0;
  static runsEnd: usize = 0;
  /** The offset of the column in a record; the next cell and the number of rows of the current run. */
  static cellAt: usize = 0;
  static cells: usize = 0;
  static runRows: i32 = 0;
  /** About the last column: null count, bytes of the validity bitmap, position and bytes of its values (or offsets) and of its text. */
  static nulls: i32 = 0;
  static validityBytes: usize = 0;
  static valuesAt: usize = 0;
  static valueBytes: usize = 0;
  static textAt: usize = 0;
  static textBytes: usize = 0;
}
