/**
 * The name of a column by its index from 0.
 *
 * @example
 * columnLetters(0); //=> "A"
 * columnLetters(27); //=> "AB"
 */
export function columnLetters(column: number): string {
  const prefix = column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1);
  return prefix + String.fromCharCode(65 + (column % 26));
}
