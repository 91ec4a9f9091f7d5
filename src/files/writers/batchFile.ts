import { closeSync, openSync, writeSync } from "node:fs";
import { type ArrowColumn, type Block, FILE_HEADER, fileFooter } from "../../pages/arrowMessages.js";
import { arrowStream } from "../../pages/arrowStream.js";
import type { CellType, RowShape, ScannedRows } from "../../pages/rows.js";

/** The types of a frame: a column of nothing but nulls so far is text. */
const STORAGE: Readonly<Record<CellType, ArrowColumn["type"]>> = {
  string: "string",
  int: "int",
  float: "float",
  bool: "bool",
  datetime: "datetime",
  null: "string",
  long: "int",
};

/**
 * A temporary Arrow file of rows whose columns the scanner writes, without a frame. polars maps the file into memory, and the
 * system can take that memory back at any time.
 */
export class BatchFile {
  readonly #columns: readonly ArrowColumn[];
  readonly #file: number;
  readonly #blocks: Block[] = [];
  #size = 0;
  /** Rows so far. */
  height = 0;

  /**
   * @param path the file to create; it must not exist
   * @param shape the columns of all rows
   */
  constructor(path: string, { names, types }: RowShape<CellType>) {
    this.#columns = names.map((name, at) => ({ name, type: STORAGE[types[at] as CellType] }));
    this.#file = openSync(path, "wx", 0o600);
    this.#write(FILE_HEADER);
  }

  /** Appends the rows of a page that all fit the shape. */
  add({ tape, bytes }: ScannedRows): void {
    if (tape.rows === 0) return;
    arrowStream(this.#columns, [{ tape, from: 0, rows: tape.rows, base: 0 }], bytes, (stream, block) => {
      this.#blocks.push({ ...block, at: this.#size });
      this.#write(stream.subarray(block.at));
    });
    this.height += tape.rows;
  }

  /** Completes and closes the file. */
  end(): void {
    this.#write(fileFooter(this.#columns, this.#blocks));
    this.close();
  }

  /** Call instead of `end` after a failure. */
  close(): void {
    closeSync(this.#file);
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    this.#size += bytes.length;
  }
}
