import type { ProgressEvent } from "../../call/progressEvent.js";

/** The harvests of one cell, as their progress reports them. */
export class CellHarvests {
  readonly #latest = new Map<number, { readonly event: ProgressEvent; readonly at: number }>();

  add(event: ProgressEvent): void {
    this.#latest.set(event.harvest, { event, at: performance.now() });
  }

  /**
   * Where to find the rows that arrived while the cell waited for the last time, because no variable has them.
   *
   * @param since when that wait began, on the clock of `performance`
   * @returns undefined if there were none
   */
  advice(since: number): string | undefined {
    const found = [...this.#latest.values()].filter(({ at }) => at >= since);
    const counts = found.flatMap(({ event }) =>
      event.rows === 0 ? [] : [`${event.operation} ${event.rows.toLocaleString("en-US")}`],
    );
    if (counts.length === 0) return undefined;
    const method = found.length === 1 ? "lastHarvest()" : "harvests()";
    return `The rows fetched so far are in ${method} of the client: ${counts.join(", ")}.`;
  }
}
