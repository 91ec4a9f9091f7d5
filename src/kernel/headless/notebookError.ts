import type { ArchiveError } from "../../errors/index.js";
import type { Notebook } from "../../notebook/notebookFormat.js";

/**
 * An error of `runNotebook`, with the notebook as far as it was run. The last output of the cell that failed is what it has thrown.
 *
 * @example
 * if (error instanceof ArchiveError && error.code === "CELL_FAILED") {
 *   const { index = 0, notebook } = error as NotebookError;
 *   console.log(index, notebook?.cells[index]?.outputs?.at(-1)?.evalue);
 *   //=> 3 invalid limit: 0. Give a whole number from 1, for example limit: 50.
 * }
 */
export interface NotebookError extends ArchiveError {
  /** Index of the cell in `notebook.cells`, from 0. */
  readonly index?: number;
  /** The notebook with the error in its outputs, if its kernel started. Not enumerable. */
  readonly notebook?: Notebook;
}

/** Adds what was run to an error. Not enumerable, so that a console does not print a large notebook. */
export function withNotebook(error: ArchiveError, index: number, notebook: Notebook): NotebookError {
  return Object.defineProperty(Object.assign(error, { index }), "notebook", { value: notebook, enumerable: false });
}
