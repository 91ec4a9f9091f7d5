/** A value as it is shown. */
export interface Cell {
  readonly text: string;
  /** The value in full, where the text is not: a number with all its digits. */
  readonly full?: string;
}

/** A column as it is shown. */
export interface GridColumn {
  readonly name: string;
  readonly dtype: string;
  /** Numbers stand to the right. */
  readonly numeric: boolean;
  /** The shown cells; null is a missing value. */
  readonly cells: readonly (Cell | null)[];
}

/** What is shown of a frame of any library. */
export interface Grid {
  /** How large the whole is: `1,234 rows × 11 columns`. */
  readonly shape: string;
  readonly columns: readonly GridColumn[];
  /** How many rows are shown. */
  readonly rows: number;
  /** Before which of the shown rows some are left out. */
  readonly rowGap: number | undefined;
  /** Before which of the shown columns some are left out. */
  readonly columnGap: number | undefined;
}

/** The positions of the first and last ones of so many, and before which of these some are left out. */
export interface VisibleRange {
  readonly positions: readonly number[];
  readonly gap: number | undefined;
}

/** A frame of up to so many rows is shown whole where nothing else is said, and of a longer one the second number. */
const WHOLE = 20;
const SHORT = 10;

/** Which rows of a frame are shown. */
export function rowWindow(length: number, most: number | undefined): VisibleRange {
  return firstAndLast(length, most ?? (length <= WHOLE ? WHOLE : SHORT));
}

/** Half of them from the beginning, half from the end; all where there are no more. */
export function firstAndLast(length: number, most: number): VisibleRange {
  if (length <= most) return { positions: Array.from({ length }, (_, at) => at), gap: undefined };
  const gap = Math.ceil(most / 2);
  const positions = Array.from({ length: most }, (_, at) => (at < gap ? at : length - most + at));
  return { positions, gap };
}

/**
 * The size of a frame in words.
 *
 * @example
 * shapeText(1234, 11); //=> "1,234 rows × 11 columns"
 */
export function shapeText(rows: number, columns: number): string {
  return `${pluralize(rows, "row")} × ${pluralize(columns, "column")}`;
}

/**
 * @example
 * counted(1234, "row"); //=> "1,234 rows"
 */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/**
 * @example
 * grouped(1234567); //=> "1,234,567"
 */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
