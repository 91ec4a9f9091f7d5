import { sum } from "../../util/sum.js";
import type { Database } from "../database/database.js";
import { type FetchedWindow, landWindows } from "./landWindows.js";

/** Bytes of rows and milliseconds after which a batch lands: a transaction costs more than most windows. */
const MAX_BYTES = 2 ** 24;
const MAX_WAIT = 5000;

/** Windows on their way into the database, in batches. A killed run loses those that wait. */
export class LandingQueue {
  /** Mentions that were added. */
  added = 0;
  /** Windows that were read to their end. */
  windows = 0;
  #waiting: FetchedWindow[] = [];
  #bytes = 0;
  #since = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly database: Database,
    readonly run: number,
  ) {}

  /** Adds a window. Resolves when there is room for the next one. */
  async add(window: FetchedWindow): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    this.#waiting.push(window);
    this.windows++;
    this.#bytes += sum(window.readings.map(({ bytes }) => bytes));
    if (this.#bytes >= MAX_BYTES || performance.now() - this.#since > MAX_WAIT) await this.flush();
  }

  /** Lands what is waiting. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    [this.#waiting, this.#bytes] = [[], 0];
    return this.between(async () => {
      if (batch.length > 0) this.added += await landWindows(this.database, this.run, batch);
    });
  }

  /** Runs something on the database between two landings: they share a connection. */
  between<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
