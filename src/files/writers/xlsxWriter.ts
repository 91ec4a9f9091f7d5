import type { PolarsFrame } from "../../frames/polars.js";
import type { FormatOptions, FrameWriter, OpenWriter, WriterTarget } from "../frameWriter.js";

/**
 * Writes an Excel workbook: a sheet named after the rows, with a bold and frozen header, a filter and column widths. Text is
 * wrapped, http and https addresses are links (the first 65,530 of a sheet, which is what Excel accepts), and pages print in
 * landscape. Memory does not grow with the number of rows, and equal frames give equal bytes.
 *
 * Text stays text, whatever it looks like. Integers of more than 15 digits become text too, because Excel would round them.
 * Timestamps are in UTC. Nested values are JSON text. Text beyond the 32,767 characters of a cell is cut, and a warning
 * with code `CELLS_CUT` names the columns.
 *
 * @throws FileError with code `TOO_LARGE_FOR_XLSX` for more than 16,384 columns, and with `overflow: "error"` for more
 * than 1,048,575 rows
 */
export const xlsxWriter: OpenWriter = (target, formatOptions) => new LazyWriter(target, formatOptions);

/** Loads the spreadsheet code with the first frame, so that nobody else waits for it. */
class LazyWriter implements FrameWriter {
  #workbook: Promise<FrameWriter> | undefined;

  constructor(
    readonly target: WriterTarget,
    readonly formatOptions: FormatOptions,
  ) {}

  async write(frame: PolarsFrame): Promise<void> {
    await (await this.#open()).write(frame);
  }

  async end(): Promise<void> {
    await (await this.#open()).end();
  }

  async abort(): Promise<void> {
    await (await this.#workbook)?.abort();
  }

  #open(): Promise<FrameWriter> {
    this.#workbook ??= import("./xlsx/workbook.js").then(
      ({ Workbook }) => new Workbook(this.target, this.formatOptions),
    );
    return this.#workbook;
  }
}
