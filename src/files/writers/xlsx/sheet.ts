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
import { truncateText, xmlText } from "./xmlText.js";
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

/** Excel calls a workbook with more links on a sheet damaged. */
const MAX_LINKS = 65_530;

/** The links of a sheet. They follow its rows, so they are kept until then: at most 65,530, and each address once. */
class SheetLinks {
  readonly #ids = new Map<string, number>();
  readonly #cells: string[] = [];

  /** Links a cell to an address. Returns false if the sheet has no room for another link. */
  add(cell: string, address: string): boolean {
    if (this.#cells.length >= MAX_LINKS) return false;
    const id = this.#ids.get(address) ?? this.#ids.size + 1;
    this.#ids.set(address, id);
    this.#cells.push(`<hyperlink ref="${cell}" r:id="rId${id}"/>`);
    return true;
  }

  /** The element of the sheet; empty without links. */
  get xml(): string {
    return this.#cells.length === 0 ? "" : `<hyperlinks>${this.#cells.join("")}</hyperlinks>`;
  }

  /** The addresses in the order of their ids, escaped for an attribute. */
  get addresses(): readonly string[] {
    return [...this.#ids.keys()].map((address) => xmlText(address).replaceAll('"', "&quot;"));
  }
}

const MAX_NAME_LENGTH = 31;
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\p{Cs}]/gu;

/**
 * A valid name for the first sheet, or with `number` for a further one.
 *
 * @example
 * sheetName("mentions"); //=> "mentions"
 * sheetName("mentions", 2); //=> "mentions 2"
 * sheetName("a/b"); //=> "a_b"
 */
export function sheetName(name: string, number = 1): string {
  const first = trim(truncateText(trim(name.replace(FORBIDDEN, "_")), MAX_NAME_LENGTH));
  if (number > 1) return numbered(first || "Sheet", ` ${number}`);
  // Excel reserves "History".
  return /^history$/i.test(first) ? `${first}_` : first || "Sheet";
}

function numbered(first: string, suffix: string): string {
  const name = truncateText(first, MAX_NAME_LENGTH - suffix.length) + suffix;
  return name === first ? `${truncateText(first, MAX_NAME_LENGTH - suffix.length - 1)}_${suffix}` : name;
}

/** Removes characters that Excel does not allow at either end. */
function trim(name: string): string {
  // The lookbehind avoids quadratic time for a long run of such characters in the middle.
  return name.replace(/^[\s']+|(?<![\s'])[\s']+$/g, "");
}
