import { ArchiveError, type CellErrorCode, nameClasses } from "../../errors/index.js";
import type { Notebook } from "../../notebook/notebookFormat.js";
import { quoted } from "../../util/quoted.js";

/** The members of a new {@link CellError}. */
export type CellErrorDetails = Pick<
  CellError,
  "code" | "hint" | "index" | "id" | "ename" | "evalue" | "traceback" | "notebook"
>;

/**
 * A cell threw an error or exceeded its timeout during `runNotebook`.
 *
 * @example
 * if (error instanceof CellError) console.log(error.index, error.ename, error.evalue);
 * //=> 3 ValidationError invalid limit: 0. Give a whole number from 1, for example limit: 50.
 */
export class CellError extends ArchiveError {
  declare readonly code: CellErrorCode;
  /** Index of the cell in `notebook.cells`, from 0. */
  declare readonly index: number;
  /** The id of the cell, if it has one. */
  declare readonly id?: string;
  /** Name of the error that the cell threw; `"Timeout"` after a timeout. */
  declare readonly ename: string;
  /** Message of the error that the cell threw. */
  declare readonly evalue: string;
  /** Lines as a notebook shows them; they may contain ANSI color sequences. */
  declare readonly traceback: readonly string[];
  /** The notebook as far as it was run; the outputs of the failed cell contain the error. Not enumerable. */
  declare readonly notebook: Notebook;

  /**
   * @param what what went wrong, ending with a full stop
   * @param details the other members
   */
  constructor(what: string, { code, hint, id, notebook, ...details }: CellErrorDetails) {
    super(what, { code, hint });
    Object.assign(this, details, id !== undefined && { id });
    // Not enumerable, so that a console does not print a large notebook.
    Object.defineProperty(this, "notebook", { value: notebook, enumerable: false });
  }
}

/**
 * The kernel of `runNotebook` did not start, did not respond within a minute, or exited unexpectedly: it was killed, ran out of
 * memory, or a cell called `process.exit`.
 *
 * @example
 * if (error instanceof KernelError) console.log(error.message);
 * //=> The kernel exited unexpectedly (SIGKILL). Run the notebook in Jupyter for details.
 */
export class KernelError extends ArchiveError {
  declare readonly code: "KERNEL_DIED";
  /** The notebook with the outputs so far; undefined if the kernel did not start. Not enumerable. */
  declare readonly notebook?: Notebook;

  /**
   * @param what what went wrong, ending with a full stop
   * @param stderr the end of the kernel's standard error, which becomes part of the message
   */
  constructor(what: string, stderr = "") {
    super(stderr === "" ? what : `${what} Its last output was ${quoted(stderr, 2000)}.`, {
      code: "KERNEL_DIED",
      hint: "Run the notebook in Jupyter for details.",
    });
  }
}

nameClasses({ CellError, KernelError });
