import { FileError } from "../../../errors/index.js";
import type { PolarsFrame, pl } from "../../../frames/polars.js";
import type { FormatOptions, FrameWriter, WriterTarget } from "../../frameWriter.js";
import { type Column, columnOf } from "./columns.js";
import { CutCells } from "./cutCells.js";
import { LIMITS, type Limits } from "./limits.js";
import { contentTypes, ROOT_RELATIONS, type SheetInfo, sheetPart, workbookPart, workbookRelations } from "./parts.js";
import { Sheet, type SheetLook } from "./sheet.js";
import { sheetName } from "./sheetName.js";
import { STYLES_XML } from "./styles.js";
import { widthOf } from "./widths.js";
import { ZipOutput } from "./zipOutput.js";

/** Rows that are taken out of polars in one go. */
const SLICE_ROWS = 10_000;

/** What is known of a workbook from its first frame on. */
interface WorkbookState {
  readonly columns: readonly Column[];
  readonly look: SheetLook;
  sheet: Sheet;
}

/** A workbook that frames are written into. */
export class Workbook implements FrameWriter {
  readonly #zip: ZipOutput;
  readonly #full: SheetInfo[] = [];
  readonly #cut = new CutCells();
  #begun: WorkbookState | undefined;

  /** @param limits smaller ones in tests */
  constructor(
    readonly target: WriterTarget,
    readonly formatOptions: FormatOptions,
    readonly limits: Limits = LIMITS,
  ) {
    this.#zip = new ZipOutput(target.path);
  }

  async write(frame: PolarsFrame): Promise<void> {
    // The one way into a frame that its columns do not hide: one named "height" stands for `frame.height`.
    const series: pl.Series[] = frame.getColumns();
    this.#begun ??= this.#begin(series);
    const { length = 0 } = series[0] ?? {};
    for (let at = 0; at < length; at += SLICE_ROWS) {
      const rows = Math.min(SLICE_ROWS, length - at);
      await this.#append(this.#begun, rows === length ? series : series.map((each) => each.slice(at, rows)), rows);
    }
  }

  async end(): Promise<void> {
    const sheets = [...this.#full];
    if (this.#begun !== undefined) sheets.push(await this.#begun.sheet.end());
    this.#zip.add("xl/workbook.xml", workbookPart(sheets));
    this.#zip.add("_rels/.rels", ROOT_RELATIONS);
    this.#zip.add("xl/_rels/workbook.xml.rels", workbookRelations(sheets.length));
    this.#zip.add("[Content_Types].xml", contentTypes(sheets.length));
    await this.#zip.end();
    this.#cut.warn();
  }

  async abort(): Promise<void> {
    await this.#zip.abort();
  }

  #begin(series: readonly pl.Series[]): WorkbookState {
    if (series.length > this.limits.columns) {
      const [asked, most] = [series.length, this.limits.columns].map((count) => count.toLocaleString("en"));
      throw this.#tooLarge(`they have ${asked} columns, and a sheet has ${most}`, "Select fewer columns");
    }
    const columns = series.map(columnOf);
    const look = {
      columns: columns.map(({ name }) => name),
      widths: columns.map((column, at) => widthOf(column, series[at] as pl.Series)),
    };
    // The first of all parts, by whose name programs tell what file it is.
    this.#zip.add("xl/styles.xml", STYLES_XML);
    return { columns, look, sheet: this.#beginSheet(look) };
  }

  #beginSheet(look: SheetLook): Sheet {
    const number = this.#full.length + 1;
    this.#zip.begin(sheetPart(number));
    return new Sheet(sheetName(this.target.name, number), look, this.#zip, this.limits);
  }

  async #append(begun: WorkbookState, series: readonly pl.Series[], rows: number): Promise<void> {
    const cells = begun.columns.map((column, at) =>
      column.cells(series[at] as pl.Series, () => this.#cut.add(column.name)),
    );
    for (let row = 0; row < rows; row++) {
      if (begun.sheet.isFull) {
        if (this.formatOptions.overflow === "error") {
          const most = (this.limits.rows - 1).toLocaleString("en");
          throw this.#tooLarge(`they are more than the ${most}, or the 4 GB, of a sheet`, 'Give overflow: "sheets"');
        }
        this.#full.push(await begun.sheet.end());
        begun.sheet = this.#beginSheet(begun.look);
      }
      begun.sheet.add(cells, row);
      if (begun.sheet.isDue) await begun.sheet.flush();
    }
  }

  #tooLarge(what: string, hint: string): FileError {
    const { path } = this.target;
    return new FileError(`The rows do not fit into an XLSX file: ${what}.`, {
      code: "TOO_LARGE_FOR_XLSX",
      hint: `${hint}, or write parquet or csv.`,
      path,
    });
  }
}
