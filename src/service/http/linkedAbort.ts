import { onAbort } from "./onAbort.js";

/**
 * An AbortController that aborts with each of some signals as well, until it is released. A signal of `AbortSignal.any` stays in
 * memory as long as the signals that it is made of, and those of a client or a notebook live long.
 */
export class LinkedAbort {
  readonly #own = new AbortController();
  readonly #unlink: ReadonlyArray<() => void>;

  constructor(signals: ReadonlyArray<AbortSignal | undefined>) {
    this.#unlink = signals
      .filter((signal) => signal !== undefined)
      .map((signal) => onAbort(signal, () => this.abort(signal.reason)));
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason?: unknown): void {
    this.#own.abort(reason);
  }

  /** Listens to the others no longer. */
  release(): void {
    for (const unlink of this.#unlink) unlink();
  }
}
