import {
  type ArrowColumn,
  batchMessage,
  batchMessageBytes,
  type ColumnBuffers,
  schemaMessage,
} from "./arrowMessages.js";
import { type CellType, type RowShape, type RowTape, recordBytes } from "./rows.js";
import { aligned, MARGIN, type Scanner, TYPE_CODES, withScanner } from "./scanner.js";

/** Consecutive rows that fit their shape. */
export interface RowRun {
  readonly tape: RowTape;
  /** The first row. */
  readonly from: number;
  readonly rows: number;
  /** Where the body of the rows begins in the bytes of all runs, so that the offsets of the tape fit. It may be negative. */
  readonly base: number;
}

/** Bytes of a run in the memory of the scanner: the layout of `wasm/columns.ts`. */
const RUN = 24;
const RUN_CELL = 4;
const RUN_TYPE = 5;

/**
 * Writes runs of rows as an Arrow IPC stream of one record batch. A column has the values of the member of its name. The values
 * have to fit its type: any member fits a column of text, except one of floats, and integers fit a column of floats.
 *
 * @param bytes the bytes of all runs. If they are those of one page at its base, 0, and nothing was scanned since, they are not copied
 * @param read reads the stream, which holds until it returns
 */
export function arrowStream<T>(
  columns: readonly ArrowColumn[],
  runs: readonly RowRun[],
  bytes: Buffer,
  read: (stream: Buffer) => T,
): T {
  return withScanner((scanner, held) => {
    const { exports } = scanner;
    const rows = runs.reduce((sum, run) => sum + run.rows, 0);
    // The last page that was scanned is in memory already.
    const isHeld = held !== undefined && runs.length === 1 && runs[0]?.tape === held.tape && runs[0].base === 0;
    const input = isHeld ? held.input : scanner.start;
    const addresses = new Map<RowTape, number>();
    let end = isHeld ? held.end : aligned(input + bytes.length + MARGIN);
    for (const { tape } of runs) {
      if (addresses.has(tape)) continue;
      addresses.set(tape, isHeld ? held.records : end);
      if (!isHeld) end = aligned(end + tape.words.byteLength);
    }
    const table = aligned(end);
    const out = aligned(table + RUN * runs.length + MARGIN);
    const schema = schemaOf(columns);
    const messageBytes = batchMessageBytes(columns);
    const body = out + schema.length + messageBytes;
    scanner.reserve(body + bytes.length + columns.length * (9 * rows + 64 * 4 + 16));
    const words = new Uint32Array(exports.memory.buffer);
    if (!isHeld) {
      bytes.copy(scanner.bytes, input);
      for (const [tape, at] of addresses) words.set(tape.words, at / 4);
    }
    runs.forEach(({ tape, from, rows, base }, at) => {
      const stride = recordBytes(tape.shape);
      const run = (table + RUN * at) / 4;
      words.set([(addresses.get(tape) as number) + from * stride, stride, rows, input + base], run);
    });
    exports.setRuns(table, runs.length);
    const written: ColumnBuffers[] = [];
    let position = body;
    for (const column of columns) {
      setCells(words, table / 4, runs, column.name);
      const start = position - body;
      position = exports.column(TYPE_CODES[column.type], rows, position);
      written.push(columnBuffers(scanner, column, start));
    }
    schema.copy(scanner.bytes, out);
    batchMessage(written, rows, position - body, messageBytes).copy(scanner.bytes, out + schema.length);
    return read(scanner.bytes.subarray(out, position));
  });
}

const schemas = new Map<string, Buffer>();
const MAX_SCHEMAS = 20;

function schemaOf(columns: readonly ArrowColumn[]): Buffer {
  const key = JSON.stringify(columns);
  const known = schemas.get(key);
  if (known !== undefined) return known;
  const schema = schemaMessage(columns);
  if (schemas.size < MAX_SCHEMAS && columns.length < 100) schemas.set(key, schema);
  return schema;
}

const indexes = new WeakMap<RowShape<CellType>, ReadonlyMap<string, number>>();

function indexOf(shape: RowShape<CellType>): ReadonlyMap<string, number> {
  const index = indexes.get(shape) ?? new Map(shape.names.map((name, at) => [name, at]));
  indexes.set(shape, index);
  return index;
}

/** Writes into each run which of its cells holds a column. */
function setCells(words: Uint32Array, table: number, runs: readonly RowRun[], name: string): void {
  let shape: RowShape<CellType> | undefined;
  let cell = -1;
  let run = table;
  for (const { tape } of runs) {
    if (tape.shape !== shape) {
      shape = tape.shape;
      cell = indexOf(shape).get(name) ?? -1;
    }
    words[run + RUN_CELL] = cell;
    words[run + RUN_TYPE] = cell < 0 ? 0 : TYPE_CODES[tape.shape.types[cell] as CellType];
    run += RUN / 4;
  }
}

/** Where the scanner has put the buffers of the last column. */
function columnBuffers({ exports }: Scanner, { type }: ArrowColumn, start: number): ColumnBuffers {
  const validity = exports.validityBytes.value;
  const values = exports.valueBytes.value;
  const valuesAt = start + aligned(validity);
  const buffers: Array<readonly [number, number]> = [
    [start, validity],
    [valuesAt, values],
  ];
  if (type === "string") buffers.push([valuesAt + aligned(values), exports.textBytes.value]);
  return { nulls: exports.nulls.value, buffers };
}
