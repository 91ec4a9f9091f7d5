import { rmSync } from "node:fs";
import { sum } from "../../util/sum.js";
import type { CorpusState } from "../state/corpusState.js";
import { type Fetched, isUnchanged, landWindows, type RowsFile } from "../state/land.js";
import type { Reading } from "./fetchWindow.js";
import { SharedShape, writeRows } from "./rowsFile.js";

/** A window with its readings. Rows that the last reading has missed come from earlier ones. */
export interface FetchedWindow {
  readonly fetched: Fetched;
  readonly readings: readonly Reading[];
}

/** Bytes of rows, windows and milliseconds after which a batch lands: a transaction costs more than most windows. */
const MAX_BYTES = 2 ** 24;
const MAX_WINDOWS = 600;
const MAX_WAIT = 10_000;

/** Windows on their way into the database, in batches. */
export class LandingQueue {
  readonly shape = new SharedShape();
  #waiting: FetchedWindow[] = [];
  #bytes = 0;
  #since = 0;
  #landing: Promise<unknown> = Promise.resolve();

  /** @param onLanded called with the keys of windows that have landed */
  constructor(
    readonly state: CorpusState,
    readonly onLanded: (keys: readonly string[]) => Promise<void>,
  ) {}

  /** Adds a window. Resolves when there is room for the next one. */
  async add(window: FetchedWindow): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    this.#waiting.push(window);
    this.#bytes += sum(window.readings.map(({ bytes }) => bytes));
    // While a batch lands, one more may collect.
    while (this.#isDue) {
      await this.#landing;
      if (this.#isDue) await this.flush();
    }
  }

  get #isDue(): boolean {
    const [bytes, windows] = [this.#bytes, this.#waiting.length];
    return bytes >= MAX_BYTES || windows >= MAX_WINDOWS || (windows > 0 && performance.now() - this.#since > MAX_WAIT);
  }

  /** Lands what is waiting. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    [this.#waiting, this.#bytes] = [[], 0];
    return this.between(async () => {
      if (batch.length > 0) await this.#land(batch);
    });
  }

  /** Runs something on the database between two landings: they share a connection. */
  between<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#landing.then(action);
    this.#landing = result.catch(() => undefined);
    return result;
  }

  async #land(batch: readonly FetchedWindow[]): Promise<void> {
    const { state } = this;
    const unchanged = batch.filter(({ fetched }) => isUnchanged(state, fetched));
    const fresh = batch.filter((window) => !unchanged.includes(window));
    const files = this.#filesOf(fresh);
    await landWindows(state, fetchedOf(fresh), files, fetchedOf(unchanged));
    // Unchanged windows with the old content of a mention that changed in this batch. The latest response counts, so they land as well.
    const contested = unchanged.filter(({ fetched }) => !isUnchanged(state, fetched));
    if (contested.length > 0) {
      files.push(...this.#filesOf(contested));
      const again = batch.filter((window) => fresh.includes(window) || contested.includes(window));
      await landWindows(state, fetchedOf(again), files, []);
    }
    const parts = batch.flatMap(({ readings }) => readings.flatMap((reading) => reading.files));
    for (const { path } of [...files, ...parts]) rmSync(path, { force: true });
    await this.onLanded(batch.map(({ fetched }) => fetched.window.key));
  }

  /** The rows of windows: one file for all that is not in files yet. */
  #filesOf(windows: readonly FetchedWindow[]): RowsFile[] {
    const all = windows.flatMap(({ fetched, readings }) =>
      readings.map(({ files, pages }, at) => ({ files, pages, own: { window: fetched, reading: at + 1 } })),
    );
    const parts = all.flatMap(({ files, own }) => files.map((file) => ({ ...file, readings: [own] })));
    const inMemory = all.filter(({ pages }) => pages.length > 0);
    if (inMemory.length === 0) return parts;
    const pages = inMemory.map((one) => one.pages);
    return [
      ...parts,
      { ...writeRows(this.state.scratch, pages, this.shape), readings: inMemory.map(({ own }) => own) },
    ];
  }
}

function fetchedOf(windows: readonly FetchedWindow[]): Fetched[] {
  return windows.map(({ fetched }) => fetched);
}
