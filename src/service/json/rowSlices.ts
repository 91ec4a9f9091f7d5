/** Rows of a response as slices of its bytes: start and end offset of row 0, start and end offset of row 1, … */
export interface RowSlices {
  readonly bytes: Buffer;
  readonly offsets: Uint32Array;
}

/** The text of one row, exactly as it was sent. */
export function rowText({ bytes, offsets }: RowSlices, row: number): string {
  return bytes.toString("utf8", offsets[2 * row], offsets[2 * row + 1]);
}

/** The rows as one JSON list, for a parser. */
export function rowsJson(rows: RowSlices): string {
  const texts: string[] = [];
  for (let row = 0; 2 * row < rows.offsets.length; row++) texts.push(rowText(rows, row));
  return `[${texts.join(",")}]`;
}

/** The bytes from the start of the first row to the end of the last one, without a copy. */
export function rowsBytes({ bytes, offsets }: RowSlices): Buffer {
  return bytes.subarray(offsets[0] ?? 0, offsets.at(-1) ?? 0);
}

/** The bytes of the last row; empty if there is none. */
export function lastRowBytes({ bytes, offsets }: RowSlices): Buffer {
  return bytes.subarray(offsets.at(-2) ?? 0, offsets.at(-1) ?? 0);
}
