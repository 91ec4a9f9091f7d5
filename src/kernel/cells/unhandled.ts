import { stripVTControlCharacters } from "node:util";
import { cellFailure } from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";

/** What nobody has caught: promises that were rejected without an `await`, and errors in callbacks. */
export class Unhandled {
  readonly #rejections = new Map<Promise<unknown>, unknown>();
  readonly #exceptions: unknown[] = [];
  #cell: ((error: unknown) => void) | undefined;

  /** @param late is told of what happens while no cell runs */
  constructor(late: (reason: unknown) => void) {
    process.on("unhandledRejection", (reason, promise) => {
      if (this.#cell === undefined) late(reason);
      else this.#rejections.set(promise, reason);
    });
    process.on("rejectionHandled", (promise) => {
      this.#rejections.delete(promise);
    });
    process.on("uncaughtException", (error) => {
      if (this.#cell === undefined) return late(error);
      this.#exceptions.push(error);
      this.#cell(error);
    });
  }

  /** @param end ends the cell that begins now: nothing that it waits for may ever come after an error in a callback */
  begin(end: (error: unknown) => void): void {
    this.#cell = end;
  }

  /** What was thrown in the cell, which is over now, and caught by nobody. */
  async end(): Promise<unknown[]> {
    // Node tells of a rejection when all promise reactions have run. Aborted requests end meanwhile, and what has been
    // asked for while the cell kept Node from looking is read.
    await new Promise(setImmediate);
    this.#cell = undefined;
    const reasons = [...this.#exceptions.splice(0), ...this.#rejections.values()];
    this.#rejections.clear();
    return reasons;
  }
}

/** What is written of an error that no cell can fail with any more. */
export function lateText(reason: unknown, positions: CellPositions): string {
  const lines = cellFailure(reason, 0, positions).traceback.map((line) => stripVTControlCharacters(line));
  return `Nobody has caught this error (is there an \`await\` missing?):\n${lines.join("\n")}\n`;
}
