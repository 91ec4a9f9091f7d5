/** Rows of a response as slices of its bytes: start and end offset of row 0, start and end offset of row 1, … */
export interface RowSlices {
  readonly bytes: Buffer;
  readonly offsets: readonly number[];
}

/** Each row as JSON text, exactly as it was sent. */
export function rowTexts({ bytes, offsets }: RowSlices): string[] {
  const texts: string[] = [];
  for (let at = 0; at < offsets.length; at += 2) texts.push(bytes.toString("utf8", offsets[at], offsets[at + 1]));
  return texts;
}

/** The rows as one JSON list, for a parser. */
export function rowsJson(rows: RowSlices): string {
  return `[${rowTexts(rows).join(",")}]`;
}

/** The bytes from the start of the first row to the end of the last one, without a copy. */
export function rowsBytes({ bytes, offsets }: RowSlices): Buffer {
  return bytes.subarray(offsets[0] ?? 0, offsets.at(-1) ?? 0);
}

/** The bytes of the last row; empty if there is none. */
export function lastRowBytes({ bytes, offsets }: RowSlices): Buffer {
  return bytes.subarray(offsets.at(-2) ?? 0, offsets.at(-1) ?? 0);
}
