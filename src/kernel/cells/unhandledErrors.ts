/** Collects unhandled rejections and exceptions in callbacks while a cell runs. */
export class UnhandledErrors {
  readonly #rejections = new Map<Promise<unknown>, unknown>();
  readonly #exceptions: unknown[] = [];
  #endCell: ((error: unknown) => void) | undefined;

  /** @param onLate receives errors that occur while no cell runs */
  constructor(onLate: (reason: unknown) => void) {
    process.on("unhandledRejection", (reason, promise) => {
      if (this.#endCell === undefined) onLate(reason);
      else this.#rejections.set(promise, reason);
    });
    process.on("rejectionHandled", (promise) => {
      this.#rejections.delete(promise);
    });
    process.on("uncaughtException", (error) => {
      if (this.#endCell === undefined) return onLate(error);
      this.#exceptions.push(error);
      this.#endCell(error);
    });
  }

  /** @param endCell fails the cell that starts now: after an exception in a callback, what it awaits may never happen */
  begin(endCell: (error: unknown) => void): void {
    this.#endCell = endCell;
  }

  async end(): Promise<unknown[]> {
    // Node reports a rejection after all promise reactions have run. One turn of the event loop also lets aborted requests end
    // and handles input that arrived while the cell blocked the thread.
    await new Promise(setImmediate);
    this.#endCell = undefined;
    const reasons = [...this.#exceptions.splice(0), ...this.#rejections.values()];
    this.#rejections.clear();
    return reasons;
  }
}
