import { type Cell, textCell } from "./cells.js";
import { columnLetters } from "./columnLetters.js";
import type { Limits } from "./limits.js";
import { type SheetInfo, sheetHead, sheetTail } from "./parts.js";
import { STYLES } from "./styles.js";
import type { ZipOutput } from "./zipOutput.js";

/** Characters that are gathered before they are compressed, which goes on while the next ones are made. */
const CHUNK = 2 ** 16;

/** What all sheets of a workbook have in common. */
export interface SheetLook {
  readonly columns: readonly string[];
  /** In characters. */
  readonly widths: readonly number[];
}

/** A sheet that rows are appended to, in a part of a zip file that was begun for it. */
export class Sheet {
  readonly #letters: readonly string[];
  #rows = 1;
  #bytes = 0;
  #xml: string;

  constructor(
    readonly name: string,
    look: SheetLook,
    readonly zip: ZipOutput,
    readonly limits: Limits,
  ) {
    this.#letters = look.columns.map((_, at) => columnLetters(at));
    const header = look.columns.map(
      (column, at) => `<c r="${this.#letters[at]}1" s="${STYLES.header}"${textCell(column)}`,
    );
    this.#xml = `${sheetHead(look.widths)}<row r="1">${header.join("")}</row>`;
  }

  /** Whether no further row has a place. */
  get isFull(): boolean {
    return this.#rows >= this.limits.rows || this.#bytes >= this.limits.bytes;
  }

  /** Whether enough is gathered for a `flush`. */
  get isDue(): boolean {
    return this.#xml.length >= CHUNK;
  }

  /** Appends row `at` of the cells of each column. */
  add(cells: ReadonlyArray<(row: number) => Cell>, at: number): void {
    const number = ++this.#rows;
    let xml = "";
    for (let column = 0; column < cells.length; column++) {
      const cell = (cells[column] as (row: number) => Cell)(at);
      if (cell !== "") xml += `<c r="${this.#letters[column]}${number}"${cell}`;
    }
    // Readers find no row that is without cells.
    this.#xml += `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
  }

  /** Hands on what is gathered. */
  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#xml);
    this.#xml = "";
    this.#bytes += bytes.length;
    await this.zip.write(bytes);
  }

  /** Completes the sheet, and gives what the workbook has to know of it. */
  async end(): Promise<SheetInfo> {
    const info = { name: this.name, rows: this.#rows, columns: this.#letters.length };
    this.#xml += sheetTail(info);
    await this.flush();
    this.zip.close();
    return info;
  }
}
