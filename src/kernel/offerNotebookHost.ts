import type { NotebookHost } from "../call/notebookHost.js";
import type { ProgressEvent } from "../call/progress.js";
import type { OpenDisplay } from "../notebook/display/mimeBundle.js";
import type { Output } from "./outputs/output.js";

/** What the kernel offers to the code that runs in it. */
export interface KernelHost extends NotebookHost {
  /** Takes away what the cell has shown so far; with `wait` only when the next output comes. */
  clearOutput(wait?: boolean): void;
}

/** What belongs to one cell. */
export interface CellHost {
  readonly signal: AbortSignal;
  readonly progress: (event: ProgressEvent) => void;
}

/**
 * Leaves at a global symbol what this package looks for in a notebook: a copy of it that shares no module with the kernel
 * finds it as well.
 *
 * @param cell what belongs to the cell that runs, or to the last one
 */
export function offerNotebookHost(output: Output, cell: () => CellHost | undefined): void {
  const host: KernelHost = {
    get signal() {
      return cell()?.signal;
    },
    get progress() {
      return cell()?.progress;
    },
    display: output.display as OpenDisplay,
    clearOutput: output.clear,
  };
  Object.defineProperty(globalThis, Symbol.for("archive-frames.host"), { value: host, configurable: true });
}
