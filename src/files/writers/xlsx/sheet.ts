import { type Cell, textCell } from "./cells.js";
import { columnLetters, type SheetInfo, STYLES, sheetHead, sheetTail } from "./parts.js";
import type { ZipOutput } from "./zipOutput.js";

/** Size limits of a sheet. */
export interface Limits {
  /** Rows, including the header. */
  readonly rows: number;
  readonly columns: number;
  /** Bytes before compression. Excel considers larger sheets, which need ZIP64, damaged. */
  readonly bytes: number;
}

/** The limits of Excel. `bytes` leaves room below 2^32 for the row that exceeds it. */
export const LIMITS: Limits = { rows: 1_048_576, columns: 16_384, bytes: 4e9 };

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

  /** @param number counted from 1 */
  constructor(
    readonly name: string,
    readonly number: number,
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

  /** Appends the cells of row `at` of each column. Returns a promise only if the caller has to wait. */
  add(cells: ReadonlyArray<(row: number) => Cell>, at: number): Promise<void> | undefined {
    const number = ++this.#rows;
    let xml = "";
    for (let column = 0; column < cells.length; column++) {
      const cell = (cells[column] as (row: number) => Cell)(at);
      if (cell === "") continue;
      xml += `<c r="${this.#letters[column]}${number}"${cell}`;
    }
    // Readers skip rows without cells.
    this.#xml += `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
    return this.#xml.length >= BUFFER_CHARS ? this.#flush() : undefined;
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#xml);
    this.#xml = "";
    this.#bytes += bytes.length;
    await this.zip.write(bytes);
  }

  /** Completes the sheet. */
  async end(): Promise<SheetInfo> {
    const info = { name: this.name, rows: this.#rows, columns: this.#letters.length };
    this.#xml += sheetTail(info);
    await this.#flush();
    this.zip.close();
    return info;
  }
}
