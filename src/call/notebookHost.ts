import type { ProgressEvent } from "./progressEvent.js";

/** What a notebook kernel provides to this package, at `globalThis[Symbol.for("archive-frames.host")]`. */
export interface NotebookHost {
  /** Aborts when the running cell is interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Shows the progress of a call. */
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Shows a MIME bundle below the running cell. */
  readonly display?:
    | ((bundle: Record<string, unknown>) => { update(bundle: Record<string, unknown>): void })
    | undefined;
  /** Asks the user for a secret, after a prompt; absent if the front end cannot. */
  readonly input?: ((prompt: string) => Promise<string>) | undefined;
  /** Removes the user's secrets from a text. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The notebook kernel of this process; empty outside one. A global symbol, because kernel and notebook may load different copies of the package. */
export function notebookHost(): NotebookHost {
  return (globalThis as { [name: symbol]: NotebookHost | undefined })[Symbol.for("archive-frames.host")] ?? {};
}
