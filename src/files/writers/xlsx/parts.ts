/** A finished sheet. `rows` includes the header. */
export interface SheetInfo {
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

/** Links the package to the workbook. */
export const ROOT_RELATIONS = relations(
  `<Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/>`,
);

/** The path of a sheet, numbered from 1, in the package. */
export function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** The XML of a sheet before its rows. */
export function sheetHead(widths: readonly number[]): string {
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  return `${HEAD}<worksheet xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${
    cols.length === 0 ? "" : `<cols>${cols.join("")}</cols>`
  }<sheetData>`;
}

/** The XML of a sheet after its rows. */
export function sheetTail({ rows, columns }: SheetInfo): string {
  const filter = columns === 0 ? "" : `<autoFilter ref="A1:${columnLetters(columns - 1)}${rows}"/>`;
  return `</sheetData>${filter}</worksheet>`;
}

export function workbookPart(sheets: readonly SheetInfo[]): string {
  const list = sheets.map(({ name }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return `${HEAD}<workbook xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><bookViews><workbookView/></bookViews><sheets>${list.join("")}</sheets></workbook>`;
}

/** Links the workbook to its sheets and styles. */
export function workbookRelations(sheets: number): string {
  const list = Array.from(
    { length: sheets },
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  return relations(
    `${list.join("")}<Relationship Id="rId${sheets + 1}" Type="${RELATION}/styles" Target="styles.xml"/>`,
  );
}

export function contentTypes(sheets: number): string {
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

/** Indexes of the cell styles in {@link STYLES_XML}. */
export const STYLES = { header: 1, timestamp: 2, date: 3, text: 4 } as const;

const font = (mark: string) => `<font>${mark}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
/** A cell style with text aligned to the top. */
const style = (format: number, alignment = "") =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top"${alignment}/></xf>`;
const HEADER_STYLE = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>';

export const STYLES_XML = `${HEAD}<styleSheet xmlns="${SPREADSHEET}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd"/></numFmts>
<fonts count="2">${font("")}${font("<b/>")}</fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="5">${style(0)}${HEADER_STYLE}${style(164)}${style(165)}${style(0, ' wrapText="1"')}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
`;
