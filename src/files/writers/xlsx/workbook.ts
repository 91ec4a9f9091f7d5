import { FileError } from "../../../errors/index.js";
import { warn } from "../../../errors/warn.js";
import type { PolarsFrame, pl } from "../../../frames/polars.js";
import { clip, quoted } from "../../../util/quoted.js";
import type { FrameWriter, OpenWriter, WriterTarget } from "../../frameWriter.js";
import { type Cell, cellsOf, columnWidth, MAX_CELL_LENGTH, STYLES, textCell } from "./cells.js";
import { ZipOutput } from "./zipOutput.js";

/**
 * Writes an Excel workbook: a sheet named after the rows, with a bold and frozen header, a filter, column widths and wrapped text.
 * Memory does not grow with the number of rows, and equal frames give equal bytes. Text always stays text. Integers of more than 15
 * digits become text too, because Excel would round them. Timestamps are in UTC. Nested values are JSON text. Text is truncated to the
 * 32,767 characters of a cell, and a warning with code `CELLS_CUT` names the columns.
 */
export const xlsxWriter: OpenWriter = (target) => new Workbook(target);

export interface Limits {
  /** Rows, including the header. */
  readonly rows: number;
  readonly columns: number;
  /** Bytes before compression. Excel considers larger sheets damaged, because they need ZIP64. */
  readonly bytes: number;
}

/** The limits of Excel. `bytes` leaves space below 2^32 for the row that exceeds it. */
export const LIMITS: Limits = { rows: 1_048_576, columns: 16_384, bytes: 4e9 };

const SLICE_ROWS = 10_000;
/** Characters to buffer before compression, which runs in the background. */
const BUFFER_CHARS = 2 ** 16;

/** The names and letters of the columns, and the XML before the rows, for all sheets of a table. */
interface Table {
  readonly columns: readonly string[];
  readonly letters: readonly string[];
  readonly head: string;
}

/** A workbook with one or more tables, see {@link xlsxWriter}. A full sheet continues on another one. */
export class Workbook implements FrameWriter {
  readonly #zip: ZipOutput;
  readonly #finished: SheetInfo[] = [];
  /** The number of truncated texts, by column. */
  readonly #cut = new Map<string, number>();
  /** The name of the current table, and the number of finished sheets before it. */
  #name: string;
  #before = 0;
  #table: Table | undefined;
  /** The rows and bytes of the current sheet, and its unwritten XML. */
  #rows = 0;
  #bytes = 0;
  #xml = "";

  /** @param limits the limits of Excel; tests use smaller ones */
  constructor(
    readonly target: WriterTarget,
    readonly limits: Limits = LIMITS,
  ) {
    this.#zip = new ZipOutput(target);
    this.#name = target.name;
    // Programs recognize the file type by the name of the first part.
    this.#zip.add("xl/styles.xml", STYLES_XML);
  }

  /** Begins a sheet for another table, whose frames may have other columns. Write at least one before the next call. */
  async beginTable(name: string): Promise<void> {
    await this.#endSheet();
    this.#table = undefined;
    this.#name = name;
    this.#before = this.#finished.length;
  }

  async write(frame: PolarsFrame): Promise<void> {
    // Not frame.height, because a column with that name would hide it.
    const series: pl.Series[] = frame.getColumns();
    if (this.#table === undefined) {
      this.#table = this.#tableOf(series);
      this.#beginSheet(this.#table);
    }
    const { length = 0 } = series[0] ?? {};
    for (let at = 0; at < length; at += SLICE_ROWS) {
      const rows = Math.min(SLICE_ROWS, length - at);
      await this.#append(this.#table, rows === length ? series : series.map((each) => each.slice(at, rows)), rows);
    }
  }

  async end(): Promise<void> {
    await this.#endSheet();
    this.#zip.add("xl/workbook.xml", workbookPart(this.#finished));
    this.#zip.add("_rels/.rels", ROOT_RELATIONS);
    this.#zip.add("xl/_rels/workbook.xml.rels", workbookRelations(this.#finished.length));
    this.#zip.add("[Content_Types].xml", contentTypes(this.#finished.length));
    await this.#zip.end();
    this.#warnOfCut();
  }

  async abort(): Promise<void> {
    await this.#zip.abort();
  }

  #tableOf(series: readonly pl.Series[]): Table {
    if (series.length > this.limits.columns) {
      const [actual, max] = [series.length, this.limits.columns].map((count) => count.toLocaleString("en"));
      const { path } = this.target;
      const message = `The rows do not fit into an XLSX file: they have ${actual} columns, but a sheet has at most ${max}.`;
      const hint = "Select fewer columns, or write parquet or csv.";
      throw new FileError(message, { code: "TOO_LARGE_FOR_XLSX", hint, path });
    }
    const columns = series.map(({ name }) => name);
    const letters = columns.map((_, at) => columnLetters(at));
    const cells = columns.map((name, at) => `<c r="${letters[at]}1" s="${STYLES.header}"${textCell(name)}`);
    return { columns, letters, head: `${sheetHead(series.map(columnWidth))}<row r="1">${cells.join("")}</row>` };
  }

  #beginSheet({ head }: Table): void {
    this.#zip.begin(sheetPart(this.#finished.length + 1));
    [this.#rows, this.#bytes, this.#xml] = [1, 0, head];
  }

  async #endSheet(): Promise<void> {
    if (this.#table === undefined) return;
    const further = this.#finished.length + 1 - this.#before;
    const name = further === 1 ? this.#name : `${this.#name} ${further}`;
    const info = { name, rows: this.#rows, columns: this.#table.letters.length };
    this.#xml += sheetTail(info);
    await this.#flush();
    this.#zip.close();
    this.#finished.push(info);
  }

  async #append(table: Table, series: readonly pl.Series[], rows: number): Promise<void> {
    const { columns, letters } = table;
    const cells = series.map((each, at) => {
      const name = columns[at] as string;
      return cellsOf(each, () => this.#cut.set(name, (this.#cut.get(name) ?? 0) + 1));
    });
    for (let row = 0; row < rows; row++) {
      if (this.#rows >= this.limits.rows || this.#bytes >= this.limits.bytes) {
        await this.#endSheet();
        this.#beginSheet(table);
      }
      const number = ++this.#rows;
      let xml = "";
      for (let column = 0; column < cells.length; column++) {
        const cell = (cells[column] as (row: number) => Cell)(row);
        if (cell !== "") xml += `<c r="${letters[column]}${number}"${cell}`;
      }
      // Readers skip rows without cells.
      this.#xml += `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
      if (this.#xml.length >= BUFFER_CHARS) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#xml);
    this.#xml = "";
    this.#bytes += bytes.length;
    await this.#zip.write(bytes);
  }

  #warnOfCut(): void {
    if (this.#cut.size === 0) return;
    const columns = [...this.#cut].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
    warn(
      "CELLS_CUT",
      `Cells were truncated to the ${MAX_CELL_LENGTH.toLocaleString("en")} characters that XLSX allows: ${clip(columns.join(", "), 500)}. ` +
        "CSV and Parquet keep the whole text.",
    );
  }
}

/** A finished sheet. `rows` includes the header. */
interface SheetInfo {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OOXML = "http://schemas.openxmlformats.org";
const SPREADSHEET = `${OOXML}/spreadsheetml/2006/main`;
const PACKAGE = `${OOXML}/package/2006`;
const RELATION = `${OOXML}/officeDocument/2006/relationships`;
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const ROOT_RELATIONS = relations(
  `<Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/>`,
);

/** The path of a sheet, numbered from 1, in the package. */
function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

function sheetHead(widths: readonly number[]): string {
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  return `${HEAD}<worksheet xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${
    cols.length === 0 ? "" : `<cols>${cols.join("")}</cols>`
  }<sheetData>`;
}

function sheetTail({ rows, columns }: SheetInfo): string {
  const filter = columns === 0 ? "" : `<autoFilter ref="A1:${columnLetters(columns - 1)}${rows}"/>`;
  return `</sheetData>${filter}</worksheet>`;
}

function workbookPart(sheets: readonly SheetInfo[]): string {
  const list = sheets.map(({ name }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return `${HEAD}<workbook xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><bookViews><workbookView/></bookViews><sheets>${list.join("")}</sheets></workbook>`;
}

function workbookRelations(sheets: number): string {
  const list = Array.from(
    { length: sheets },
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  return relations(
    `${list.join("")}<Relationship Id="rId${sheets + 1}" Type="${RELATION}/styles" Target="styles.xml"/>`,
  );
}

function contentTypes(sheets: number): string {
  const list = Array.from({ length: sheets }, (_, at) => override(sheetPart(at + 1), "worksheet"));
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override("xl/workbook.xml", "sheet.main")}${list.join("")}${override("xl/styles.xml", "styles")}</Types>`;
}

function override(part: string, type: string): string {
  return `<Override PartName="/${part}" ContentType="${TYPE}.${type}+xml"/>`;
}

function relations(list: string): string {
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`;
}

/** The letters of a column, by its index from 0. */
export function columnLetters(column: number): string {
  const prefix = column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1);
  return prefix + String.fromCharCode(65 + (column % 26));
}

const font = (mark: string) => `<font>${mark}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
/** A cell style with text aligned to the top. */
const style = (format: number, alignment = "") =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top"${alignment}/></xf>`;
const HEADER_STYLE = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>';

const STYLES_XML = `${HEAD}<styleSheet xmlns="${SPREADSHEET}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd"/></numFmts>
<fonts count="2">${font("")}${font("<b/>")}</fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="5">${style(0)}${HEADER_STYLE}${style(164)}${style(165)}${style(0, ' wrapText="1"')}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
`;
