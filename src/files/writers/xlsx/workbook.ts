import { ArchiveError } from "../../../errors/index.js";
import { warn } from "../../../errors/warn.js";
import type { Frames } from "../../../frames/frameBatches.js";
import type { pl } from "../../../frames/polars.js";
import { clip, quoted } from "../../../util/quoted.js";
import type { FrameWriter, NewFile } from "../../frameWriter.js";
import { type Cell, cellsOf, columnWidth, MAX_CELL_LENGTH, STYLES, textCell } from "./cells.js";
import { writeZip, type ZipPart } from "./writeZip.js";

/**
 * Writes an Excel workbook: a sheet named after the rows, with a bold and frozen header, a filter, column widths and wrapped text.
 * Memory does not grow with the number of rows, and equal frames give equal bytes. Text always stays text. Integers of more than 15
 * digits become text too, because Excel would round them. Timestamps are in UTC. Nested values are JSON text. Text is truncated to the
 * 32,767 characters of a cell, and a warning with code `CELLS_CUT` names the columns.
 */
export const writeXlsx: FrameWriter = (frames, target) => writeWorkbook([{ name: target.name, frames }], target);

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

/** A table with one or more frames of the same columns. */
interface Table {
  readonly name: string;
  readonly frames: Frames;
}

/** The XML of a row, by its number in the sheet. */
type Row = (number: number) => string;

/**
 * Writes a workbook with a sheet for each table, see {@link writeXlsx}. A full sheet continues on another one.
 * @param limits the limits of Excel; tests use smaller ones
 */
export async function writeWorkbook(tables: Iterable<Table>, target: NewFile, limits = LIMITS): Promise<void> {
  const cut = new Map<string, number>();
  await writeZip(workbookParts(tables, target, limits, cut), target);
  if (cut.size === 0) return;
  const columns = [...cut].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
  warn(
    "CELLS_CUT",
    `Cells were truncated to the ${MAX_CELL_LENGTH.toLocaleString("en")} characters that XLSX allows: ${clip(columns.join(", "), 500)}. ` +
      "CSV and Parquet keep the whole text.",
  );
}

/** @param cut counts the truncated texts, by column */
async function* workbookParts(
  tables: Iterable<Table>,
  { path }: NewFile,
  limits: Limits,
  cut: Map<string, number>,
): AsyncGenerator<ZipPart> {
  // Programs recognize the file type by the name of the first part.
  yield ["xl/styles.xml", STYLES_XML];
  const sheets: string[] = [];
  for (const { name, frames } of tables) {
    let [head, columns] = ["", 0];
    const rows = rowsOf(frames, cut, (series) => {
      if (series.length > limits.columns) throw tooWide(series.length, limits.columns, path);
      [head, columns] = [sheetHead(series), series.length];
    });
    try {
      let row = await rows.next();
      for (let number = 1; number === 1 || !row.done; number++) {
        sheets.push(number === 1 ? name : `${name} ${number}`);
        const content = async function* (): AsyncGenerator<Buffer> {
          let [xml, count, bytes] = [head, 1, 0];
          for (; !row.done && count < limits.rows && bytes < limits.bytes; row = await rows.next()) {
            xml += row.value(++count);
            if (xml.length < BUFFER_CHARS) continue;
            const part = Buffer.from(xml);
            bytes += part.length;
            xml = "";
            yield part;
          }
          yield Buffer.from(xml + sheetTail(columns, count));
        };
        yield [sheetPart(sheets.length), content()];
      }
    } finally {
      await rows.return(undefined);
    }
  }
  yield* closingParts(sheets);
}

/** @param onColumns called with the columns of the first frame, before the first row */
async function* rowsOf(
  frames: Frames,
  cut: Map<string, number>,
  onColumns: (series: readonly pl.Series[]) => void,
): AsyncGenerator<Row, void, undefined> {
  let letters: readonly string[] | undefined;
  for await (const frame of frames) {
    // Not frame.height, because a column with that name would hide it.
    const series: pl.Series[] = frame.getColumns();
    if (letters === undefined) onColumns(series);
    letters ??= series.map((_, at) => columnLetters(at));
    const { length = 0 } = series[0] ?? {};
    for (let at = 0; at < length; at += SLICE_ROWS) {
      const rows = Math.min(SLICE_ROWS, length - at);
      const cells = series.map((each) =>
        cellsOf(rows === length ? each : each.slice(at, rows), () => cut.set(each.name, (cut.get(each.name) ?? 0) + 1)),
      );
      for (let row = 0; row < rows; row++) yield (number) => rowXml(letters as readonly string[], cells, row, number);
    }
  }
}

function rowXml(
  letters: readonly string[],
  cells: ReadonlyArray<(row: number) => Cell>,
  row: number,
  number: number,
): string {
  let xml = "";
  for (let column = 0; column < cells.length; column++) {
    const cell = (cells[column] as (row: number) => Cell)(row);
    if (cell !== "") xml += `<c r="${letters[column]}${number}"${cell}`;
  }
  // Readers skip rows without cells.
  return `<row r="${number}">${xml || `<c r="A${number}"/>`}</row>`;
}

function tooWide(columns: number, max: number, path: string): ArchiveError {
  const [actual, most] = [columns, max].map((count) => count.toLocaleString("en"));
  const message = `The rows do not fit into an XLSX file: they have ${actual} columns, but a sheet has at most ${most}.`;
  const hint = "Select fewer columns, or write parquet or csv.";
  return new ArchiveError(message, { code: "TOO_LARGE_FOR_XLSX", hint, path });
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OOXML = "http://schemas.openxmlformats.org";
const SPREADSHEET = `${OOXML}/spreadsheetml/2006/main`;
const PACKAGE = `${OOXML}/package/2006`;
const RELATION = `${OOXML}/officeDocument/2006/relationships`;
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The path of a sheet, numbered from 1, in the package. */
function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

function sheetHead(series: readonly pl.Series[]): string {
  const cols = series.map(columnWidth).map((width, at) => {
    const number = at + 1;
    return `<col min="${number}" max="${number}" width="${width}" customWidth="1"/>`;
  });
  const cells = series.map(({ name }, at) => `<c r="${columnLetters(at)}1" s="${STYLES.header}"${textCell(name)}`);
  return `${HEAD}<worksheet xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${
    cols.length === 0 ? "" : `<cols>${cols.join("")}</cols>`
  }<sheetData><row r="1">${cells.join("")}</row>`;
}

function sheetTail(columns: number, rows: number): string {
  const filter = columns === 0 ? "" : `<autoFilter ref="A1:${columnLetters(columns - 1)}${rows}"/>`;
  return `</sheetData>${filter}</worksheet>`;
}

/** The parts that list the sheets, given by name. */
function* closingParts(sheets: readonly string[]): Generator<ZipPart> {
  const each = (xml: (number: number, name: string) => string) => sheets.map((name, at) => xml(at + 1, name)).join("");
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATION}/${type}" Target="${target}"/>`;
  const relations = (list: string) => `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`;
  const override = (part: string, type: string) => `<Override PartName="/${part}" ContentType="${TYPE}.${type}+xml"/>`;
  const list = each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`);
  yield [
    "xl/workbook.xml",
    `${HEAD}<workbook xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><bookViews><workbookView/></bookViews><sheets>${list}</sheets></workbook>`,
  ];
  yield ["_rels/.rels", relations(relation(1, "officeDocument", "xl/workbook.xml"))];
  const worksheets = each((number) => relation(number, "worksheet", `worksheets/sheet${number}.xml`));
  const styles = relation(sheets.length + 1, "styles", "styles.xml");
  yield ["xl/_rels/workbook.xml.rels", relations(worksheets + styles)];
  const types = each((number) => override(sheetPart(number), "worksheet"));
  yield [
    "[Content_Types].xml",
    `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override("xl/workbook.xml", "sheet.main")}${types}${override("xl/styles.xml", "styles")}</Types>`,
  ];
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
