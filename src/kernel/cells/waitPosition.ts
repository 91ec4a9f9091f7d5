/** A position in the running cell; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An await that is pending inside a `for await` leaves the position of the loop when it is done. */
interface Wait extends Position {
  readonly since: number;
  readonly outer: Wait | undefined;
}

/** Where the running cell waits. The converter inserts the calls; see `converter/markAwaits.ts`. */
export class WaitPosition {
  #wait: Wait | undefined;

  /** The innermost await that has not succeeded; undefined if the cell does not wait. */
  get current(): (Position & { /** On the clock of `performance`. */ readonly since: number }) | undefined {
    return this.#wait;
  }

  /** Called before an await, with its operand, which it returns. */
  readonly awaiting = <T>(operand: T, line: number, column: number): T => {
    this.#wait = { line, column, since: performance.now(), outer: this.#wait };
    return operand;
  };

  /** Called after an await, with its value, which it returns. */
  readonly resumed = <T>(value: T): T => {
    this.#wait = this.#wait?.outer;
    return value;
  };

  /** Forgets the positions of the previous cell. */
  clear(): void {
    this.#wait = undefined;
  }
}
