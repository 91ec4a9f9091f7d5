import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { scanIpcFiles } from "../../frames/polarsPlan.js";
import { Rebatcher } from "./rebatcher.js";

/** Rows per temporary file, and at most in memory. */
const ROWS_PER_FILE = 16_384;

/** Spills frames of one schema to temporary files, to read them back as one lazy frame. */
export class FrameSpill {
  readonly #directory: string;
  readonly #batches = new Rebatcher(ROWS_PER_FILE);
  #paths: string[] = [];

  /** @param directory an existing directory. Call `remove` before another spill uses it */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(frame: PolarsFrame): Promise<void> {
    for (const batch of this.#batches.add(frame)) await this.#write(batch);
  }

  /** Writes the rows in memory to a file. */
  async flush(): Promise<void> {
    if (!this.#batches.isEmpty) await this.#write(this.#batches.take());
  }

  /** All rows in order. Requires at least one frame. */
  async scan(): Promise<pl.LazyDataFrame> {
    if (this.#paths.length === 0) return this.#batches.take().lazy();
    await this.flush();
    return scanIpcFiles(this.#paths);
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    for (const path of this.#paths.splice(0)) await rm(path);
  }

  async #write(batch: PolarsFrame): Promise<void> {
    const path = join(this.#directory, `part-${this.#paths.length}.ipc`);
    this.#paths.push(path);
    await writeFile(path, batch.writeIPC());
  }
}
