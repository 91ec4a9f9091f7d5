import type { ArchiveError } from "../../errors/index.js";
import type { Notebook } from "../../notebook/notebookFormat.js";

/**
 * An error of `runNotebook`. `CELL_FAILED` and `CELL_TIMEOUT` have all members; `KERNEL_DIED` has the notebook, if its kernel started.
 *
 * @example
 * if (error instanceof ArchiveError && error.code === "CELL_FAILED") {
 *   const { index, ename, evalue } = error as NotebookError;
 *   console.log(index, ename, evalue);
 *   //=> 3 ValidationError invalid limit: 0. Give a whole number from 1, for example limit: 50.
 * }
 */
export interface NotebookError extends ArchiveError {
  /** Index of the cell in `notebook.cells`, from 0. */
  readonly index?: number;
  /** Name of the error that the cell threw; `"Timeout"` after a timeout. */
  readonly ename?: string;
  /** Message of the error that the cell threw. */
  readonly evalue?: string;
  /** Lines as a notebook shows them; they may contain ANSI color sequences. */
  readonly traceback?: readonly string[];
  /** The notebook as far as it was run, with the error in its outputs. Not enumerable. */
  readonly notebook?: Notebook;
}

/** Adds what was run to an error. Not enumerable, so that a console does not print a large notebook. */
export function withNotebook(error: ArchiveError, notebook: Notebook): NotebookError {
  return Object.defineProperty(error, "notebook", { value: notebook, enumerable: false });
}
