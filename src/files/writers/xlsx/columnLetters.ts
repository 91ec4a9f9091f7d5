/**
 * The name of a column, counted from 0.
 *
 * @example
 * columnLetters(0); //=> "A"
 * columnLetters(27); //=> "AB"
 */
export function columnLetters(column: number): string {
  const before = column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1);
  return before + String.fromCharCode(65 + (column % 26));
}
