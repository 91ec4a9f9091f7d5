import { type Cell, type LinkCell, textCell } from "./cells.js";
import type { Limits } from "./limits.js";
import { SheetLinks } from "./links.js";
import { columnLetters, linkRelations, type SheetInfo, sheetHead, sheetRelationsPart, sheetTail } from "./parts.js";
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
  readonly #links = new SheetLinks();
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

  /** The buffer should be flushed. */
  get needsFlush(): boolean {
    return this.#xml.length >= BUFFER_CHARS;
  }

  /** Appends the cells of row `at` of each column. */
  add(cells: ReadonlyArray<(row: number) => Cell | LinkCell>, at: number): void {
    const number = ++this.#rows;
    let xml = "";
    for (let column = 0; column < cells.length; column++) {
      const cell = (cells[column] as (row: number) => Cell | LinkCell)(at);
      if (cell === "") continue;
      const address = `${this.#letters[column]}${number}`;
      xml += `<c r="${address}"${typeof cell === "string" ? cell : this.#link(address, cell)}`;
    }
    // Readers skip rows without cells.
    this.#xml += `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
  }

  #link(at: string, { address, linked, plain }: LinkCell): Cell {
    return this.#links.add(at, address) ? linked : plain;
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
    this.#xml += sheetTail(info, this.#links.xml);
    await this.flush();
    this.zip.close();
    const { addresses } = this.#links;
    if (addresses.length > 0) this.zip.add(sheetRelationsPart(this.number), linkRelations(addresses));
    return info;
  }
}
