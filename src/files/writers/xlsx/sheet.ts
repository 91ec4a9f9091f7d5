import { type Cell, type LinkCell, textCell } from "./cells.js";
import {
  columnLetters,
  linkRelations,
  type SheetInfo,
  STYLES,
  sheetHead,
  sheetRelationsPart,
  sheetTail,
} from "./parts.js";
import { xmlText } from "./xmlText.js";
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

/** Excel calls a workbook with more links on a sheet damaged. */
const MAX_LINKS = 65_530;

/** Writes rows to a sheet. The caller has begun its part of the zip file. */
export class Sheet {
  readonly #letters: readonly string[];
  /** The links follow the rows, so they are kept until then: at most 65,530, and each address once, with its number. */
  readonly #links: string[] = [];
  readonly #addresses = new Map<string, number>();
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
  add(cells: ReadonlyArray<(row: number) => Cell | LinkCell>, at: number): Promise<void> | undefined {
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
    return this.#xml.length >= BUFFER_CHARS ? this.#flush() : undefined;
  }

  #link(at: string, { address, linked, plain }: LinkCell): Cell {
    if (this.#links.length >= MAX_LINKS) return plain;
    const id = this.#addresses.get(address) ?? this.#addresses.size + 1;
    this.#addresses.set(address, id);
    this.#links.push(`<hyperlink ref="${at}" r:id="rId${id}"/>`);
    return linked;
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
    this.#xml += sheetTail(info, this.#links.join(""));
    await this.#flush();
    this.zip.close();
    const addresses = [...this.#addresses.keys()].map((address) => xmlText(address).replaceAll('"', "&quot;"));
    if (addresses.length > 0) this.zip.add(sheetRelationsPart(this.number), linkRelations(addresses));
    return info;
  }
}
