import { ArchiveError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";
import { dateText, parseExact, stringifyExact } from "../../frames/exactJson.js";
import type { Frames } from "../../frames/frameBatches.js";
import { pl } from "../../frames/polars.js";
import { DAY } from "../../util/period.js";
import { clip, quoted } from "../../util/text.js";
import type { WriterTarget } from "../frameWriter.js";
import { writeZip, type ZipPart } from "./writeZip.js";

/** The limits of Excel; the rows include the header. */
const LIMITS = { rows: 1_048_576, columns: 16_384 };
/** Maximum length of text in a cell, in UTF-16 units. */
const MAX_CELL_LENGTH = 32_767;

/**
 * Writes an Excel workbook: a sheet named after the rows, with a bold and frozen header, a filter and wrapped text. Memory does not grow
 * with the number of rows, and equal frames give equal bytes. Text always stays text. Integers of more than 15 digits become text too,
 * because Excel would round them. Timestamps are in UTC. Nested values are JSON text. Text is truncated to the 32,767 characters of a cell,
 * and a warning with code `CELLS_CUT` names the columns.
 *
 * @param frames have the same columns and dtypes
 * @param limits overridden in tests
 * @throws ArchiveError `TOO_LARGE_FOR_XLSX` for more rows or columns than a sheet has
 */
export async function writeXlsx(frames: Frames, target: WriterTarget, limits = LIMITS): Promise<void> {
  const cutCells = new Map<string, number>();
  await writeZip(workbookParts(target.name, sheetXml(frames, limits, cutCells)), target);
  if (cutCells.size === 0) return;
  const columns = [...cutCells].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
  warn(
    "CELLS_CUT",
    `Cells were truncated to the ${MAX_CELL_LENGTH.toLocaleString("en")} characters that XLSX allows: ${clip(columns.join(", "), 500)}. ` +
      "CSV and Parquet keep the whole text.",
  );
}

const SLICE_ROWS = 10_000;
/** Characters to buffer before compression, which runs in the background. */
const BUFFER_CHARS = 2 ** 16;

/** @param cutCells the number of truncated cells by column, which this updates */
async function* sheetXml(frames: Frames, limits: typeof LIMITS, cutCells: Map<string, number>): AsyncGenerator<Buffer> {
  let [xml, rows, letters] = ["", 0, [] as string[]];
  for await (const frame of frames) {
    const columns: pl.Series[] = frame.getColumns();
    if (rows === 0) {
      if (columns.length > limits.columns) throw tooLarge(columns.length, "columns", limits.columns);
      letters = columns.map((_column, at) => columnLetters(at));
      xml = sheetHead(columns);
      rows = 1;
    }
    for (let at = 0; at < frame.height; at += SLICE_ROWS) {
      const height = Math.min(SLICE_ROWS, frame.height - at);
      const cells = columns.map((column) =>
        cellsOf(column.slice(at, height), () => cutCells.set(column.name, (cutCells.get(column.name) ?? 0) + 1)),
      );
      for (let row = 0; row < height; row++) {
        if (++rows > limits.rows) throw tooLarge(rows - 1, "rows", limits.rows - 1);
        const texts = cells.map((cell, column) => cell[row] && `<c r="${letters[column]}${rows}"${cell[row]}`).join("");
        // Readers skip rows without cells.
        xml += `<row r="${rows}">${texts || `<c r="A${rows}"/>`}</row>`;
        if (xml.length < BUFFER_CHARS) continue;
        yield Buffer.from(xml);
        xml = "";
      }
    }
  }
  const filter = letters.length === 0 ? "" : `<autoFilter ref="A1:${letters.at(-1)}${rows}"/>`;
  yield Buffer.from(`${xml}</sheetData>${filter}</worksheet>`);
}

function tooLarge(count: number, what: string, max: number): ArchiveError {
  const [actual, allowed] = [count, max].map((number) => number.toLocaleString("en"));
  const message = `The rows do not fit into an XLSX file: they have ${actual} ${what} or more, but a sheet has at most ${allowed}.`;
  const hint = `Write parquet or csv, or fewer ${what}.`;
  return new ArchiveError(message, { code: "TOO_LARGE_FOR_XLSX", hint });
}

/** The XML of a cell after its address; empty for no cell. */
type Cell = string;

const STYLES = { header: 1, timestamp: 2, date: 3, text: 4 } as const;
/** Days from Excel's day 0 to 1970. */
const EPOCH = 25_569;
/** Earlier dates are off by one, because Excel has a 29 February 1900. */
const MIN_TIME = Date.UTC(1900, 2, 1);
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1;
/** Excel rounds numbers to 15 digits. */
const MAX_DIGITS = 15;

/** The cells of a column. Values that Excel does not have become text, nested ones JSON text. */
function cellsOf(column: pl.Series, onCut: () => void): Cell[] {
  const { variant, inner } = column.dtype as unknown as { variant: string; inner?: readonly unknown[] };
  const cells = <T>(values: Iterable<T | null>, cell: (value: T) => Cell) =>
    Array.from(values, (value) => (value === null || value === undefined ? "" : cell(value)));
  const values = <T>(series = column) => series.toArray() as unknown as Iterable<T | null>;
  const text = (value: string) => ` s="${STYLES.text}"${textCell(value, onCut)}`;
  if (/^(?:String|Utf8|Categorical|Time)$/.test(variant)) return cells(values<string>(), text);
  if (variant === "Bool") return cells(values<boolean>(), (value) => ` t="b"><v>${value ? 1 : 0}</v></c>`);
  if (variant.startsWith("Float")) return cells(values<number>(), floatCell);
  // As text, because JavaScript rounds large integers.
  if (/^U?Int|^Decimal/.test(variant)) return cells(values<string>(column.cast(pl.Utf8)), exactCell);
  if (variant === "Date") return cells(values<Date>(), (date) => dateCell(date, STYLES.date, /T.*/));
  const hasZone = Boolean(inner?.[1]);
  if (variant === "Datetime")
    return cells(values<Date>(), (date) => dateCell(date, STYLES.timestamp, hasZone ? "" : "Z"));
  return cells(nestedTexts(column), text);
}

function floatCell(value: number): Cell {
  if (Number.isNaN(value)) return "";
  return Number.isFinite(value) ? numberCell(String(value)) : textCell(String(value));
}

function exactCell(digits: string): Cell {
  const isExact = digits.replace(/\D/g, "").replace(/^0+/, "").length <= MAX_DIGITS;
  return isExact ? numberCell(digits) : textCell(digits);
}

function numberCell(value: string): Cell {
  return `><v>${value}</v></c>`;
}

/** A date. Outside Excel's range it becomes ISO 8601 text. @param absent the part of the text that the type does not have */
function dateCell(date: Date, style: number, absent: string | RegExp): Cell {
  const time = date.getTime();
  if (Number.isNaN(time)) return "";
  if (time < MIN_TIME || time > MAX_TIME) return textCell((dateText(date) ?? "").replace(absent, ""));
  return ` s="${style}"><v>${time / DAY + EPOCH}</v></c>`;
}

/** JSON written by polars: toArray() would lose null structs and round large integers. Durations become ISO 8601 text. */
function nestedTexts(column: pl.Series): (string | null)[] {
  const lines = String(pl.DataFrame([column.rename("v")]).writeJSON({ format: "lines" })).split("\n");
  return lines.slice(0, column.length).map((line) => {
    const { v } = parseExact(line) as { v: unknown };
    return typeof v === "string" || v === null ? v : stringifyExact(v);
  });
}

/** A text cell, truncated to the maximum length. Line breaks become LF, as in Excel; other programs show CR as `_x000D_`. */
function textCell(text: string, onCut?: () => void): Cell {
  let shown = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  if (shown.length > MAX_CELL_LENGTH) {
    onCut?.();
    // Not within a surrogate pair.
    shown = shown.slice(0, MAX_CELL_LENGTH).replace(/[\ud800-\udbff]$/, "");
  }
  // Readers strip white space at the ends, some of them more than XML allows.
  const space = /^[\s\0-\x20]|[\s\0-\x20]$/.test(shown) ? ' xml:space="preserve"' : "";
  return ` t="inlineStr"><is><t${space}>${xmlText(shown)}</t></is></c>`;
}

/** Control characters that XML does not allow, even escaped. Tab and line feed are allowed. */
const CONTROL = String.raw`\0-\x08\x0b-\x1f`;

// Escapes an underscore that readers would take for the start of an escaped character, also once its neighbours are escaped. With the u
// flag, the surrogate range matches only lone surrogates.
const SPECIAL = new RegExp(String.raw`[<>&${CONTROL}\ud800-\udfff\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}[_${CONTROL}])`, "gu");

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", _: "_x005F_" };

/**
 * Escapes text for XML like Office: `_x000D_` for a control character, `_x005F_` for an underscore that begins such a sequence. Lone
 * surrogates and non-characters become U+FFFD.
 * @example
 * xmlText("R&D\r\n"); //=> "R&amp;D_x000D_\n"
 * xmlText("_x0041_"); //=> "_x005F_x0041_"
 */
export function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (char) =>
      ESCAPED[char] ??
      (char > "\u001f" ? "\ufffd" : `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`),
  );
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OOXML = "http://schemas.openxmlformats.org";
const SPREADSHEET = `${OOXML}/spreadsheetml/2006/main`;
const PACKAGE = `${OOXML}/package/2006`;
const RELATION = `${OOXML}/officeDocument/2006/relationships`;
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const SHEET = "xl/worksheets/sheet1.xml";

async function* workbookParts(name: string, sheet: AsyncIterable<Buffer>): AsyncGenerator<ZipPart> {
  // Programs recognize the file type by the name of the first part.
  yield ["xl/styles.xml", STYLES_XML];
  yield [SHEET, sheet];
  yield [
    "xl/workbook.xml",
    `${HEAD}<workbook xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><bookViews><workbookView/></bookViews><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ];
  yield ["_rels/.rels", relations(["officeDocument", "xl/workbook.xml"])];
  yield ["xl/_rels/workbook.xml.rels", relations(["worksheet", "worksheets/sheet1.xml"], ["styles", "styles.xml"])];
  const override = (part: string, type: string) => `<Override PartName="/${part}" ContentType="${TYPE}.${type}+xml"/>`;
  const overrides = [
    ["xl/workbook.xml", "sheet.main"],
    [SHEET, "worksheet"],
    ["xl/styles.xml", "styles"],
  ] as const;
  yield [
    "[Content_Types].xml",
    `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.map(([part, type]) => override(part, type)).join("")}</Types>`,
  ];
}

function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list.join("")}</Relationships>`;
}

function sheetHead(columns: readonly pl.Series[]): string {
  const cols = columns.map(
    (column, at) => `<col min="${at + 1}" max="${at + 1}" width="${columnWidth(column)}" customWidth="1"/>`,
  );
  const cells = columns.map(({ name }, at) => `<c r="${columnLetters(at)}1" s="${STYLES.header}"${textCell(name)}`);
  return `${HEAD}<worksheet xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${
    cols.length === 0 ? "" : `<cols>${cols.join("")}</cols>`
  }<sheetData><row r="1">${cells.join("")}</row>`;
}

/** Widths in characters that hold the values of a type. */
const WIDTHS: Readonly<Record<string, number>> = { String: 30, Datetime: 20, Date: 11 };

/** The width of a column in characters: for its type, and for its name with a filter button. */
function columnWidth({ name, dtype }: pl.Series): number {
  return Math.min(60, Math.max(WIDTHS[dtype.variant] ?? 9, name.length + 3));
}

/** The letters of a column, by its index from 0. */
function columnLetters(column: number): string {
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
