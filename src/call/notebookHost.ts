import type { ProgressEvent } from "./progress.js";

/** What a notebook kernel offers to the library: it leaves this object at `globalThis[Symbol.for("archive-frames.host")]`. */
export interface NotebookHost {
  /** Aborts when the cell that runs now is interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Shows how a harvest goes on. */
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Shows a bundle of MIME types under the running cell. */
  readonly display?:
    | ((bundle: Record<string, unknown>) => { update(bundle: Record<string, unknown>): void })
    | undefined;
}

/** The notebook kernel that this runs in; empty elsewhere. By a global symbol, since kernel and notebook may load different copies. */
export function notebookHost(): NotebookHost {
  return (globalThis as { [name: symbol]: NotebookHost | undefined })[Symbol.for("archive-frames.host")] ?? {};
}
