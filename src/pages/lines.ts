import { isUtf8 } from "node:buffer";
import { type RowSlices, recordBytes, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, type Scanner, withScanner } from "./scanner.js";

/**
 * Rows as the service sent them, each on one line, joined by a separator. Bytes that are not UTF-8 become U+FFFD.
 *
 * @example
 * joinRows(page, "\n").toString(); //=> '{"id":1}\n{"id":2}'
 */
export function joinRows(rows: ScannedRows, separator: "\n" | ",\n"): Buffer {
  const lines = withScanner((scanner) => {
    const { base, records, stride, count, out } = copyIn(scanner, rows);
    scanner.reserve(out + rows.bytes.length + 2 * count);
    const end = scanner.exports.rowLines(records, stride, count, base, separator === ",\n", out);
    return Buffer.from(scanner.bytes.subarray(out, count === 0 ? out : end - separator.length));
  });
  return isUtf8(lines) ? lines : Buffer.from(lines.toString());
}

/**
 * Rows as lines of CSV, RFC 4180 with CR LF, in the order of the columns of their shape: the bytes that the writer of frames would
 * write. Missing values are empty fields, empty strings are `""`. Only for rows that {@link hasCsvLines} accepts.
 */
export function csvLines(rows: ScannedRows): Buffer {
  const { tape } = rows;
  const { names } = tape.shape;
  return withScanner((scanner) => {
    scanner.useShape(tape.shape);
    const { base, records, stride, count, out } = copyIn(scanner, rows);
    // Quotes can double a text; each field has a comma and its own two quotes.
    const scratch = aligned(out + 2 * rows.bytes.length + count * (3 * names.length + 2) + MARGIN);
    scanner.reserve(scratch + rows.bytes.length);
    const end = scanner.exports.csvLines(records, stride, count, base, out, scratch);
    return Buffer.from(scanner.bytes.subarray(out, end));
  });
}

/** Whether rows can be written as CSV by the scanner: all of them fit their shape, which has no float column, nor a single one. */
export function hasCsvLines({ tape }: ScannedRows): boolean {
  const { names, types } = tape.shape;
  return names.length > 1 && !types.includes("float") && tape.isUniform;
}

/** Copies rows and their records into the scanner. */
function copyIn(scanner: Scanner, { bytes, tape }: RowSlices & ScannedRows) {
  const base = scanner.start;
  const records = aligned(base + bytes.length + MARGIN);
  const out = aligned(records + tape.words.byteLength + MARGIN);
  scanner.reserve(out);
  bytes.copy(scanner.bytes, base);
  new Uint32Array(scanner.exports.memory.buffer, records, tape.words.length).set(tape.words);
  return { base, records, out, stride: recordBytes(tape.shape), count: tape.rows };
}
