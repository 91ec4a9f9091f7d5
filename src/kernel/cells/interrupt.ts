/** The cell was stopped by its user. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor() {
    super("The cell was stopped.");
    // Where the kernel was when it heard of it says nothing.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** The stop button of one cell: a signal for whatever the cell has begun, and a promise for whoever waits for the cell. */
export class Interrupt {
  readonly #controller = new AbortController();
  /** Rejects when the cell is stopped, or an error that nobody can catch any more has ended it. */
  readonly ended: Promise<never>;
  #end: (reason: unknown) => void = () => undefined;

  constructor() {
    this.ended = new Promise<never>((_, reject) => {
      this.#end = reject;
    });
    this.ended.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: unknown = new Interrupted()): void {
    this.#controller.abort(reason);
    this.#end(reason);
  }
}
