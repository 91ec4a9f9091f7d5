import { clip, quoted } from "../../../util/quoted.js";
import { CELL_LENGTH } from "./limits.js";

/** Counts the texts that were longer than a cell. */
export class CutCells {
  readonly #counts = new Map<string, number>();

  /** One more in a column. */
  add(column: string): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + 1);
  }

  /** Says how many there were in which columns, if there were any, as a warning with code `CELLS_CUT`. */
  warn(): void {
    if (this.#counts.size === 0) return;
    const columns = [...this.#counts].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
    process.emitWarning(
      `Cells were cut to the ${CELL_LENGTH.toLocaleString("en")} characters that XLSX holds: ${clip(columns.join(", "), 500)}. ` +
        "CSV and Parquet keep the whole text.",
      { type: "ArchiveFramesWarning", code: "CELLS_CUT" },
    );
  }
}
