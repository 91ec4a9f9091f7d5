import { FileError } from "../../../errors/index.js";
import type { PolarsFrame, pl } from "../../../frames/polars.js";
import { clip, quoted } from "../../../util/quoted.js";
import type { FrameWriter, OpenWriter, WriterTarget } from "../../frameWriter.js";
import { cellsOf, columnWidth, MAX_CELL_LENGTH } from "./cells.js";
import {
  contentTypes,
  ROOT_RELATIONS,
  type SheetInfo,
  STYLES_XML,
  sheetPart,
  workbookPart,
  workbookRelations,
} from "./parts.js";
import { LIMITS, type Limits, Sheet, type SheetLayout } from "./sheet.js";
import { ZipOutput } from "./zipOutput.js";

/**
 * Writes an Excel workbook: a sheet named after the rows, with a bold and frozen header, a filter and column widths. Text is
 * wrapped. Memory does not grow with the number of rows, and equal frames give equal bytes.
 *
 * Text stays text, whatever it looks like. Integers of more than 15 digits become text too, because Excel would round them.
 * Timestamps are in UTC. Nested values are JSON text. Text beyond the 32,767 characters of a cell is cut, and a warning
 * with code `CELLS_CUT` names the columns.
 *
 * @throws FileError with code `TOO_LARGE_FOR_XLSX` for more than 16,384 columns
 */
export const xlsxWriter: OpenWriter = (target) => new Workbook(target);

/** Rows to read from polars at a time. */
const SLICE_ROWS = 10_000;

/** The state of a workbook after its first frame. */
interface WorkbookState {
  readonly layout: SheetLayout;
  sheet: Sheet;
}

/** A workbook with one table or several, see {@link xlsxWriter}. */
export class Workbook implements FrameWriter {
  readonly #zip: ZipOutput;
  readonly #finished: SheetInfo[] = [];
  /** The number of texts that did not fit into a cell, by column. */
  readonly #cut = new Map<string, number>();
  #state: WorkbookState | undefined;
  /** The rows of the current sheets, and the number of finished sheets before them. */
  #table: { readonly name: string; readonly before: number };

  /** @param limits the limits of Excel; tests use smaller ones */
  constructor(
    readonly target: WriterTarget,
    readonly limits: Limits = LIMITS,
  ) {
    this.#zip = new ZipOutput(target);
    this.#table = { name: target.name, before: 0 };
    // Programs recognize the type of the file by the name of its first part.
    this.#zip.add("xl/styles.xml", STYLES_XML);
  }

  /** Begins a sheet for other rows: the next frames may have other columns. Write at least one before the next call. */
  async beginTable(name: string): Promise<void> {
    if (this.#state !== undefined) this.#finished.push(await this.#state.sheet.end());
    this.#state = undefined;
    this.#table = { name, before: this.#finished.length };
  }

  async write(frame: PolarsFrame): Promise<void> {
    // Not frame.height: a column of that name would hide it. getColumns cannot be hidden.
    const series: pl.Series[] = frame.getColumns();
    this.#state ??= this.#begin(series);
    const { length = 0 } = series[0] ?? {};
    for (let at = 0; at < length; at += SLICE_ROWS) {
      const rows = Math.min(SLICE_ROWS, length - at);
      await this.#append(this.#state, rows === length ? series : series.map((each) => each.slice(at, rows)), rows);
    }
  }

  async end(): Promise<void> {
    const sheets = [...this.#finished];
    if (this.#state !== undefined) sheets.push(await this.#state.sheet.end());
    this.#zip.add("xl/workbook.xml", workbookPart(sheets));
    this.#zip.add("_rels/.rels", ROOT_RELATIONS);
    this.#zip.add("xl/_rels/workbook.xml.rels", workbookRelations(sheets.length));
    this.#zip.add("[Content_Types].xml", contentTypes(sheets.length));
    await this.#zip.end();
    this.#warnOfCut();
  }

  async abort(): Promise<void> {
    await this.#zip.abort();
  }

  #begin(series: readonly pl.Series[]): WorkbookState {
    if (series.length > this.limits.columns) {
      const [actual, max] = [series.length, this.limits.columns].map((count) => count.toLocaleString("en"));
      const { path } = this.target;
      const message = `The rows do not fit into an XLSX file: they have ${actual} columns, but a sheet has at most ${max}.`;
      const hint = "Select fewer columns, or write parquet or csv.";
      throw new FileError(message, { code: "TOO_LARGE_FOR_XLSX", hint, path });
    }
    const layout = { columns: series.map(({ name }) => name), widths: series.map(columnWidth) };
    return { layout, sheet: this.#beginSheet(layout) };
  }

  #beginSheet(layout: SheetLayout): Sheet {
    const number = this.#finished.length + 1;
    this.#zip.begin(sheetPart(number));
    const { name, before } = this.#table;
    const further = number - before;
    return new Sheet(further === 1 ? name : `${name} ${further}`, number, layout, this.#zip, this.limits);
  }

  async #append(state: WorkbookState, series: readonly pl.Series[], rows: number): Promise<void> {
    const cells = series.map((each, at) => {
      const name = state.layout.columns[at] as string;
      return cellsOf(each, () => this.#cut.set(name, (this.#cut.get(name) ?? 0) + 1));
    });
    for (let row = 0; row < rows; row++) {
      if (state.sheet.isFull) {
        this.#finished.push(await state.sheet.end());
        state.sheet = this.#beginSheet(state.layout);
      }
      const added = state.sheet.add(cells, row);
      if (added !== undefined) await added;
    }
  }

  #warnOfCut(): void {
    if (this.#cut.size === 0) return;
    const columns = [...this.#cut].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
    process.emitWarning(
      `Cells were cut to the ${MAX_CELL_LENGTH.toLocaleString("en")} characters that XLSX holds: ${clip(columns.join(", "), 500)}. ` +
        "CSV and Parquet keep the whole text.",
      { type: "ArchiveFramesWarning", code: "CELLS_CUT" },
    );
  }
}
