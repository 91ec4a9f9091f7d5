import type { InputRequest, NotebookHost } from "../call/notebookHost.js";
import type { ProgressEvent } from "../call/progressEvent.js";
import type { OpenDisplay } from "../notebook/display/mimeBundle.js";
import type { Prompts } from "./input/prompts.js";
import type { Output } from "./outputs/output.js";

/** What the kernel provides to the code that runs in it. */
export interface KernelHost extends NotebookHost {
  /** Clears the output of the cell; with `wait`, only when the next output arrives. */
  clearOutput(wait?: boolean): void;
}

/** The part of the host that belongs to one cell. */
export interface CellHost {
  /** Aborts when the user interrupts the cell. */
  readonly signal: AbortSignal;
  readonly progress: (event: ProgressEvent) => void;
}

/**
 * Publishes the notebook host under a global symbol, so that a copy of this package that shares no module with the kernel
 * finds it too.
 *
 * @param cell returns the host of the running cell, or of the last one
 */
export function installNotebookHost(output: Output, prompts: Prompts, cell: () => CellHost | undefined): void {
  const host: KernelHost = {
    get signal() {
      return cell()?.signal;
    },
    get progress() {
      return cell()?.progress;
    },
    display: output.display as OpenDisplay,
    clearOutput: output.clear,
    get input() {
      return prompts.isAvailable ? (request: InputRequest) => prompts.ask(request, cell()?.signal) : undefined;
    },
  };
  Object.defineProperty(globalThis, Symbol.for("archive-frames.host"), { value: host, configurable: true });
}
