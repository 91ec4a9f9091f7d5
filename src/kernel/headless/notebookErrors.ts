import { ArchiveError, nameClass } from "../../errors/archiveError.js";
import type { ErrorCode } from "../../errors/errorCode.js";
import type { Notebook } from "../../notebook/notebookFormat.js";
import { quoted } from "../../util/quoted.js";

// Until the list of codes has them.
export const CELL_FAILED = "CELL_FAILED" as string as ErrorCode;
export const CELL_TIMEOUT = "CELL_TIMEOUT" as string as ErrorCode;
const KERNEL_DIED = "KERNEL_DIED" as string as ErrorCode;

/** What a {@link CellError} is built from. */
export interface CellErrorDetails {
  code: ErrorCode;
  hint: string;
  index: number;
  id: string | undefined;
  ename: string;
  evalue: string;
  traceback: readonly string[];
  notebook: Notebook;
}

/** A cell of a notebook has failed, or taken too long. */
export class CellError extends ArchiveError {
  /** Which cell of the notebook that ran, counted from 0. */
  readonly index: number;
  /** The id of the cell, where it has one. */
  declare readonly id?: string;
  /** The name of what was thrown in the cell. */
  readonly ename: string;
  /** Its message. */
  readonly evalue: string;
  /** As a notebook shows it; it may hold the escape sequences of colours. */
  readonly traceback: readonly string[];
  /** The notebook as far as it has come, the error among its outputs. */
  declare readonly notebook: Notebook;

  static {
    nameClass(CellError, "CellError");
  }

  constructor(what: string, details: CellErrorDetails) {
    super(what, details);
    this.index = details.index;
    if (details.id !== undefined) this.id = details.id;
    this.ename = details.ename;
    this.evalue = details.evalue;
    this.traceback = details.traceback;
    // Not with the members that a console shows: it may be large.
    Object.defineProperty(this, "notebook", { value: details.notebook, enumerable: false });
  }
}

/** The kernel has ended, or has not begun to answer. */
export class KernelError extends ArchiveError {
  static {
    nameClass(KernelError, "KernelError");
  }

  /** @param said the last lines that the kernel wrote for its server */
  constructor(what: string, said: string, hint = "Run the notebook in Jupyter to see more.") {
    super(said === "" ? what : `${what} It said: ${quoted(said, 2000)}`, { code: KERNEL_DIED, hint });
  }
}
