import { joinRows, type RowShape, recordBytes, type ScannedRows } from "../pages/rows.js";
import { aligned, MARGIN, withScanner } from "../pages/scanner.js";
import type { Page } from "../service/paging/page.js";
import type { BufferedFile } from "./bufferedFile.js";
import { csvHeader } from "./writers/csvWriter.js";

/** Where bytes go: a file, or standard output. */
export type ByteSink = Pick<BufferedFile, "write" | "end" | "abort">;

/** Writes to a file and ends it; closes it after a failure. */
export async function writing(file: ByteSink, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** Writes rows as the service sent them: as JSON Lines, or as a JSON array with one row per line. */
export function sinkRows(pages: AsyncIterable<Page>, file: ByteSink, format: "json" | "jsonl"): Promise<void> {
  const [start, separator, end] = format === "json" ? (["[\n", ",\n", "\n]\n"] as const) : (["", "\n", "\n"] as const);
  return writing(file, async () => {
    let isEmpty = true;
    for await (const page of pages) {
      if (page.tape.rows === 0) continue;
      await file.write(isEmpty ? start : separator);
      await file.write(joinRows(page, separator));
      isEmpty = false;
    }
    if (!isEmpty) await file.write(end);
    else if (format === "json") await file.write("[]\n");
  });
}

/**
 * Writes rows as CSV without building a frame, as the writer of frames would.
 * @returns false if not all rows have this shape; then the file is incomplete, but all pages are consumed
 */
export async function sinkCsv(
  pages: AsyncIterable<Page>,
  file: ByteSink,
  shape: RowShape,
  bom = false,
): Promise<boolean> {
  let fits = true;
  await writing(file, async () => {
    await file.write(`${bom ? "\ufeff" : ""}${csvHeader(shape.names, false)}\r\n`);
    for await (const page of pages) {
      fits &&= page.tape.shape === shape && hasCsvLines(page);
      if (fits && page.tape.rows > 0) await file.write(csvLines(page));
    }
  });
  return fits;
}

/** Writes response bodies exactly as the service sent them. */
export function sinkBody(pages: AsyncIterable<Page>, file: ByteSink): Promise<void> {
  return writing(file, async () => {
    for await (const { bytes } of pages) await file.write(bytes);
  });
}

/**
 * Rows as lines of CSV, RFC 4180 with CR LF, in the order of the columns of their shape: the bytes that the writer of frames would
 * write. Missing values are empty fields, empty strings are `""`. Only for rows that {@link hasCsvLines} accepts.
 */
export function csvLines(rows: ScannedRows): Buffer {
  const { bytes, tape } = rows;
  return withScanner((scanner) => {
    scanner.useShape(tape.shape);
    const base = scanner.start;
    const records = aligned(base + bytes.length + MARGIN);
    const out = aligned(records + tape.words.byteLength + MARGIN);
    // Quotes can double a text; each field has a comma and its own two quotes.
    const scratch = aligned(out + 2 * bytes.length + tape.rows * (3 * tape.shape.names.length + 2) + MARGIN);
    scanner.reserve(scratch + bytes.length);
    bytes.copy(scanner.bytes, base);
    new Uint32Array(scanner.exports.memory.buffer, records, tape.words.length).set(tape.words);
    const end = scanner.exports.csvLines(records, recordBytes(tape.shape), tape.rows, base, out, scratch);
    return Buffer.from(scanner.bytes.subarray(out, end));
  });
}

/** Whether rows can be written as CSV by the scanner: all of them fit their shape, which has no float column, nor a single one. */
export function hasCsvLines({ tape }: ScannedRows): boolean {
  const { names, types } = tape.shape;
  return names.length > 1 && !types.includes("float") && tape.isUniform;
}
