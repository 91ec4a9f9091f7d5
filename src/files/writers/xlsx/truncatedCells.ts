import { clip, quoted } from "../../../util/quoted.js";
import { MAX_CELL_LENGTH } from "./limits.js";

/** Counts the texts that did not fit into a cell. */
export class TruncatedCells {
  readonly #counts = new Map<string, number>();

  /** Counts a cell of a column. */
  add(column: string): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + 1);
  }

  /** Emits a warning with code `CELLS_CUT` and the counts by column, if there are any. */
  warn(): void {
    if (this.#counts.size === 0) return;
    const columns = [...this.#counts].map(([name, count]) => `${count.toLocaleString("en")} in ${quoted(name)}`);
    process.emitWarning(
      `Cells were cut to the ${MAX_CELL_LENGTH.toLocaleString("en")} characters that XLSX holds: ${clip(columns.join(", "), 500)}. ` +
        "CSV and Parquet keep the whole text.",
      { type: "ArchiveFramesWarning", code: "CELLS_CUT" },
    );
  }
}
