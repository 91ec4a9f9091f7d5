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

/** The relationship from the package to the workbook. */
export const ROOT_RELATIONS = relations(
  `<Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/>`,
);

/** The path of a sheet in the package, counted from 1. */
export function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** The path of the relationships of a sheet. */
export function sheetRelationsPart(number: number): string {
  return `xl/worksheets/_rels/sheet${number}.xml.rels`;
}

/** The relationships from a sheet to the addresses that it links to, which are escaped. */
export function linkRelations(addresses: readonly string[]): string {
  const list = addresses.map(
    (address, at) =>
      `<Relationship Id="rId${at + 1}" Type="${RELATION}/hyperlink" Target="${address}" TargetMode="External"/>`,
  );
  return relations(list.join(""));
}

/** The XML of a sheet before its rows. Printed, its columns share the width of a landscape page. */
export function sheetHead(widths: readonly number[]): string {
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  return `${HEAD}<worksheet xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${
    cols.length === 0 ? "" : `<cols>${cols.join("")}</cols>`
  }<sheetData>`;
}

/** The XML of a sheet after its rows. */
export function sheetTail({ rows, columns }: SheetInfo, links: string): string {
  const filter = columns === 0 ? "" : `<autoFilter ref="A1:${columnLetters(columns - 1)}${rows}"/>`;
  const hyperlinks = links && `<hyperlinks>${links}</hyperlinks>`;
  return `</sheetData>${filter}${hyperlinks}<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>`;
}

/** The workbook: its sheets, and the header as the first row of every printed page. */
export function workbookPart(sheets: readonly SheetInfo[]): string {
  const list = sheets.map(({ name }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  const titles = sheets.map(({ name, columns }, at) => {
    const rows = `'${name}'!$1:$1`;
    return columns === 0 ? "" : `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">${rows}</definedName>`;
  });
  const names = titles.join("") && `<definedNames>${titles.join("")}</definedNames>`;
  return `${HEAD}<workbook xmlns="${SPREADSHEET}" xmlns:r="${RELATION}"><bookViews><workbookView/></bookViews><sheets>${list.join("")}</sheets>${names}</workbook>`;
}

/** The relationships from the workbook to its sheets and styles. */
export function workbookRelations(sheets: number): string {
  const list = Array.from(
    { length: sheets },
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  return relations(
    `${list.join("")}<Relationship Id="rId${sheets + 1}" Type="${RELATION}/styles" Target="styles.xml"/>`,
  );
}

/** The content types of all parts. */
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

/**
 * The name of a column by its index from 0.
 *
 * @example
 * columnLetters(0); //=> "A"
 * columnLetters(27); //=> "AB"
 */
export function columnLetters(column: number): string {
  const prefix = column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1);
  return prefix + String.fromCharCode(65 + (column % 26));
}

/** Indexes of the cell styles in {@link STYLES_XML}. */
export const STYLES = { header: 1, timestamp: 2, date: 3, text: 4, link: 5 } as const;

/** The styles part of a workbook. */
export const STYLES_XML = `${HEAD}<styleSheet xmlns="${SPREADSHEET}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd"/></numFmts><fonts count="3">${[
  "",
  "<b/>",
  "<u/>",
]
  .map(
    (mark) =>
      `<font>${mark}<sz val="11"/>${mark === "<u/>" ? '<color rgb="FF0563C1"/>' : ""}<name val="Calibri"/><family val="2"/></font>`,
  )
  .join("")}</fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="6">${[style(0), '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>', style(164), style(165), style(0, 0, ' wrapText="1"'), style(0, 2)].join("")}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
`;

/** A style of cells whose text begins at their top. */
function style(format: number, font = 0, alignment = ""): string {
  return `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyAlignment="1"><alignment vertical="top"${alignment}/></xf>`;
}
