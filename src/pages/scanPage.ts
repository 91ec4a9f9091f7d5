import { isUtf8 } from "node:buffer";
import { mayPointToNext, mayReportError, NextCursor, reportsError } from "./metadata.js";
import { RowRecords, type RowSchema, rowSchema, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, type Scanner, withScanner } from "./scanner.js";

/** Thrown if the bytes are not the expected JSON. */
export class NotScannable extends Error {}

/** The result of one pass over the bytes of a response. */
export interface PageScan extends ScannedRows {
  /** The cursor of the next page, under any of its names. */
  readonly cursor: string | undefined;
  /** The path of a member that points to a next page in an unknown form, if there is no cursor. */
  readonly unknownCursor: string | undefined;
  /** Whether the body has the rows member. */
  readonly hasRowsMember: boolean;
  /** The name of the member that reports a failure. */
  readonly failure: string | undefined;
}

/**
 * Finds the rows and the cursor of a response, checks each row against a schema, and validates the whole body as JSON.
 * @param rowsMember the member that contains the rows; `undefined` if the whole body is one row
 */
export function scanPage(bytes: Buffer, rowsMember: string | undefined, schema: RowSchema): PageScan {
  try {
    return withScanner((scanner) =>
      new Scan(scanner, bytes, schema, MAX_RECORDS * bytes.length + 2 ** 16).body(rowsMember),
    );
  } catch (error) {
    if (!(error instanceof RecordsFull)) throw error;
    // Nearly empty rows of a wide schema: without a schema they take no more memory than they have bytes.
    return withScanner((scanner) => new Scan(scanner, bytes, NO_MEMBERS, 2 ** 32 - 1).body(rowsMember));
  }
}

/** Maximum bytes of records per byte of rows. A record takes 8 bytes per member of the schema, even if the row lacks it. */
const MAX_RECORDS = 16;
const NO_MEMBERS = rowSchema([]);

const FAILURES: Readonly<Record<number, string>> = {
  1: "it is not JSON",
  2: "its values are nested more than 500 levels deep",
  3: "it is too large",
  4: "a row is not an object",
};
const RECORDS_FULL = 5;
class RecordsFull extends Error {}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

class Scan {
  readonly #inputAt: number;
  readonly #recordsAt: number;
  readonly #next = new NextCursor();
  #hasRowsMember = false;
  #failure: string | undefined;

  constructor(
    readonly scanner: Scanner,
    readonly bytes: Buffer,
    readonly schema: RowSchema,
    readonly maxRecordBytes: number,
  ) {
    scanner.useSchema(schema);
    this.#inputAt = scanner.start;
    this.#recordsAt = aligned(this.#inputAt + bytes.length + MARGIN);
    scanner.reserve(this.#recordsAt + bytes.length / 4);
    bytes.copy(scanner.bytes, this.#inputAt);
    scanner.bytes.fill(0, this.#inputAt + bytes.length, this.#inputAt + bytes.length + MARGIN);
    this.#begin();
  }

  #begin(): void {
    const limit = Math.min(this.maxRecordBytes, 2 ** 32 - 1 - this.#recordsAt);
    this.scanner.exports.beginRows(this.#inputAt, this.scanner.order, this.#recordsAt, limit);
  }

  body(rowsMember: string | undefined): PageScan {
    const { bytes } = this;
    let p = this.#skipSpace(0);
    if (rowsMember === undefined) {
      this.#hasRowsMember = true;
      p = this.#offsetOf(this.scanner.exports.scanRow(this.#inputAt + p));
    } else p = this.#envelope(p, rowsMember);
    if (this.#skipSpace(p) < bytes.length) throw new NotScannable("there is more text after the body");
    const { exports } = this.scanner;
    const words = new Uint32Array(exports.memory.buffer.slice(this.#recordsAt, exports.recordsEnd()));
    const isUniform = exports.irregular() === 0 && this.schema.names.length > 0 && isUtf8(bytes);
    const records = new RowRecords(this.schema, words, isUniform);
    const { cursor, unknown } = this.#next;
    const unknownCursor = cursor === undefined ? unknown : undefined;
    return { bytes, records, cursor, unknownCursor, hasRowsMember: this.#hasRowsMember, failure: this.#failure };
  }

  /** Converts a position of the scanner, which is 0 if it failed, to an offset. */
  #offsetOf(position: number): number {
    if (position !== 0) return position - this.#inputAt;
    const failure = this.scanner.exports.failure();
    if (failure === RECORDS_FULL) throw new RecordsFull();
    throw new NotScannable(FAILURES[failure]);
  }

  #skipSpace(offset: number): number {
    for (let at = offset; ; at++) {
      const c = this.bytes[at];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return at;
    }
  }

  #envelope(start: number, rowsMember: string): number {
    const { bytes } = this;
    const { exports } = this.scanner;
    if (bytes[start] !== OPEN_OBJECT) throw new NotScannable("the body is not an object");
    let p = this.#skipSpace(start + 1);
    if (bytes[p] === CLOSE_OBJECT) return p + 1;
    for (;;) {
      if (bytes[p] !== QUOTE) throw new NotScannable("a member has no name");
      const nameEnd = this.#offsetOf(exports.skipString(this.#inputAt + p + 1));
      const name = JSON.parse(bytes.toString("utf8", p, nameEnd)) as string;
      p = this.#skipSpace(nameEnd);
      if (bytes[p] !== COLON) throw new NotScannable("a member has no value");
      p = this.#skipSpace(p + 1);
      if (name === rowsMember && bytes[p] === OPEN_LIST) {
        // The last of repeated rows members wins, as in every parser.
        this.#hasRowsMember = true;
        this.#begin();
        p = this.#offsetOf(exports.scanRows(this.#inputAt + p));
      } else {
        const end = this.#offsetOf(exports.skipValue(this.#inputAt + p));
        this.#member(name, p, end);
        p = end;
      }
      p = this.#skipSpace(p);
      if (bytes[p] === CLOSE_OBJECT) return p + 1;
      if (bytes[p] !== COMMA) throw new NotScannable("members are not separated by commas");
      p = this.#skipSpace(p + 1);
    }
  }

  #member(name: string, start: number, end: number): void {
    const isNextPage = mayPointToNext(name);
    if (!isNextPage && !mayReportError(name)) return;
    const text = this.bytes.toString("utf8", start, end);
    const value: unknown = JSON.parse(text);
    if (isNextPage) this.#next.add(name, value, text);
    else if (reportsError(name, value)) this.#failure ??= name;
  }
}
