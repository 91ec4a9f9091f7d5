import { recordBytes, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, withScanner } from "./scanner.js";

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
