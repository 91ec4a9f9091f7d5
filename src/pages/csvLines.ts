import { recordBytes, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, withScanner } from "./scanner.js";

/**
 * Formats rows as CSV lines (RFC 4180, CR LF) in the column order of their shape, with the same bytes as the CSV writer for frames.
 * Missing values are empty fields, empty strings are `""`. Only for rows that {@link hasCsvLines} accepts.
 */
export function csvLines(rows: ScannedRows): Buffer {
  const { bytes, tape } = rows;
  return withScanner((scanner) => {
    scanner.useShape(tape.shape);
    const base = scanner.start;
    const records = aligned(base + bytes.length + MARGIN);
    const out = aligned(records + tape.words.byteLength + MARGIN);
    // Escaped quotes can double a text; each field has a comma and two quotes.
    const scratch = aligned(out + 2 * bytes.length + tape.rows * (3 * tape.shape.names.length + 2) + MARGIN);
    scanner.reserve(scratch + bytes.length);
    bytes.copy(scanner.bytes, base);
    new Uint32Array(scanner.exports.memory.buffer, records, tape.words.length).set(tape.words);
    const end = scanner.exports.csvLines(records, recordBytes(tape.shape), tape.rows, base, out, scratch);
    return Buffer.from(scanner.bytes.subarray(out, end));
  });
}

/** Whether the scanner can write rows as CSV: all rows are regular, and there are several columns, none of them float. */
export function hasCsvLines({ tape }: ScannedRows): boolean {
  const { names, types } = tape.shape;
  return names.length > 1 && !types.includes("float") && tape.isUniform;
}
