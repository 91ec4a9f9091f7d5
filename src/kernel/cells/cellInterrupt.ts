/** The user interrupted the cell. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("The cell was interrupted.");
    // Stack frames of the kernel would only distract.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Interrupts one cell: a signal for the work it started, and a promise for the code that waits for it. */
export class CellInterrupt {
  readonly #controller = new AbortController();
  /** Rejects when the cell is interrupted or an uncaught error ends it. */
  readonly stopped: Promise<never>;
  #reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.stopped = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    this.stopped.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: unknown = new InterruptedError()): void {
    this.#controller.abort(reason);
    this.#reject(reason);
  }
}
