import { rmSync } from "node:fs";
import type { CorpusState } from "../state/corpusState.js";
import { type Fetched, isUnchanged, landWindows, type RowsFile } from "../state/land.js";
import { type Reading, removeJournals } from "./fetchWindow.js";
import { type SharedShape, writeRows } from "./rowsFile.js";

/** A window with its readings: what a later one has not found is that of an earlier one. */
export interface FetchedWindow {
  readonly fetched: Fetched;
  readonly readings: readonly Reading[];
}

/** Rows, windows and milliseconds after which a batch lands: a transaction costs more than most windows. */
const MAX_ROWS = 50_000;
const MAX_WINDOWS = 1000;
const MAX_WAIT = 2000;

/** Windows on their way into the database, in batches. Their journals stay until they have landed. */
export class LandingQueue {
  #waiting: FetchedWindow[] = [];
  #rows = 0;
  #since = 0;
  #landing: Promise<void> = Promise.resolve();

  constructor(
    readonly state: CorpusState,
    readonly shape: SharedShape,
    readonly onLanded: () => Promise<void>,
  ) {}

  /** Adds a window. Resolves when there is room for the next one. */
  async add(window: FetchedWindow): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    this.#waiting.push(window);
    this.#rows += window.fetched.rows;
    const isDue = performance.now() - this.#since > MAX_WAIT;
    if (this.#rows >= MAX_ROWS || this.#waiting.length >= MAX_WINDOWS || isDue) await this.flush();
  }

  /** Lands what is waiting. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    [this.#waiting, this.#rows] = [[], 0];
    const landing = this.#landing.then(() => (batch.length === 0 ? undefined : this.#land(batch)));
    this.#landing = landing.catch(() => undefined);
    return landing;
  }

  /** Runs something on the database between two landings: they share a connection. */
  between<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#landing.then(action);
    this.#landing = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #land(batch: readonly FetchedWindow[]): Promise<void> {
    const { state } = this;
    const unchanged = batch.filter(({ fetched }) => isUnchanged(state, fetched));
    const fresh = batch.filter((window) => !unchanged.includes(window));
    const files = this.#filesOf(fresh);
    await landWindows(state, { unchanged: fetchedOf(unchanged), fresh: fetchedOf(fresh), files });
    // Windows that have found a changed mention as it was before, and perhaps later: the latest response counts.
    const contested = unchanged.filter(({ fetched }) => !isUnchanged(state, fetched));
    if (contested.length > 0) {
      files.push(...this.#filesOf(contested));
      const again = batch.filter((window) => fresh.includes(window) || contested.includes(window));
      await landWindows(state, { unchanged: [], fresh: fetchedOf(again), files });
    }
    const parts = batch.flatMap(({ readings }) => readings.flatMap((reading) => reading.files));
    for (const { path } of [...files, ...parts]) rmSync(path, { force: true });
    for (const { fetched } of batch) removeJournals(state.database.work, fetched.window);
    await this.onLanded();
  }

  /** The rows of windows: one file for all small ones. */
  #filesOf(windows: readonly FetchedWindow[]): RowsFile[] {
    const { scratch } = this.state.database;
    const small = windows.filter(({ readings }) => readings.length === 1 && readings[0]?.files.length === 0);
    const files: RowsFile[] = windows
      .filter((window) => !small.includes(window))
      .flatMap(({ fetched, readings }) =>
        readings.flatMap(({ files: parts, pages }, at) => {
          const rest = pages.length === 0 ? [] : [writeRows(scratch, [pages], false, this.shape)];
          return [...parts, ...rest].map((part) => ({ ...part, windows: [fetched], reading: at + 1 }));
        }),
      );
    const filled = small.filter(({ fetched }) => fetched.rows > 0);
    if (filled.length === 0) return files;
    const pages = filled.map(({ readings }) => readings[0]?.pages ?? []);
    return [...files, { ...writeRows(scratch, pages, filled.length > 1, this.shape), windows: fetchedOf(filled) }];
  }
}

function fetchedOf(windows: readonly FetchedWindow[]): Fetched[] {
  return windows.map(({ fetched }) => fetched);
}
