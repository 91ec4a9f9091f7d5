import { type Cell, textCell } from "./cells.js";
import type { Limits } from "./limits.js";
import { columnLetters, type SheetInfo, sheetHead, sheetTail } from "./parts.js";
import { STYLES } from "./styles.js";
import type { ZipOutput } from "./zipOutput.js";

/** Characters to buffer before compression, which runs in the background. */
const BUFFER_CHARS = 2 ** 16;

/** The layout that all sheets of a workbook share. */
export interface SheetLayout {
  readonly columns: readonly string[];
  /** In characters. */
  readonly widths: readonly number[];
}

/** Writes rows to a sheet. The caller has begun its part of the zip file. */
export class Sheet {
  readonly #letters: readonly string[];
  #rows = 1;
  #bytes = 0;
  #xml: string;

  constructor(
    readonly name: string,
    layout: SheetLayout,
    readonly zip: ZipOutput,
    readonly limits: Limits,
  ) {
    this.#letters = layout.columns.map((_, at) => columnLetters(at));
    const header = layout.columns.map(
      (column, at) => `<c r="${this.#letters[at]}1" s="${STYLES.header}"${textCell(column)}`,
    );
    this.#xml = `${sheetHead(layout.widths)}<row r="1">${header.join("")}</row>`;
  }

  /** No further row fits. */
  get isFull(): boolean {
    return this.#rows >= this.limits.rows || this.#bytes >= this.limits.bytes;
  }

  /** The buffer should be flushed. */
  get needsFlush(): boolean {
    return this.#xml.length >= BUFFER_CHARS;
  }

  /** Appends the cells of row `at` of each column. */
  add(cells: ReadonlyArray<(row: number) => Cell>, at: number): void {
    const number = ++this.#rows;
    let xml = "";
    for (let column = 0; column < cells.length; column++) {
      const cell = (cells[column] as (row: number) => Cell)(at);
      if (cell !== "") xml += `<c r="${this.#letters[column]}${number}"${cell}`;
    }
    // Readers skip rows without cells.
    this.#xml += `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
  }

  /** Passes the buffer on to the zip file. */
  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#xml);
    this.#xml = "";
    this.#bytes += bytes.length;
    await this.zip.write(bytes);
  }

  /** Completes the sheet. */
  async end(): Promise<SheetInfo> {
    const info = { name: this.name, rows: this.#rows, columns: this.#letters.length };
    this.#xml += sheetTail(info);
    await this.flush();
    this.zip.close();
    return info;
  }
}
