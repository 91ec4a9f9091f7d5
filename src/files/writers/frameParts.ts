import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { scanIpcFiles } from "../../frames/polarsPlan.js";
import { FrameBatches } from "./frameBatches.js";

/** Rows of a part: so many are held in memory. */
export const PART_ROWS = 16_384;

/** Frames of one schema, put aside in files until they are read as one. */
export class FrameParts {
  readonly #folder: string;
  readonly #batches = new FrameBatches(PART_ROWS);
  #paths: string[] = [];

  /** @param folder an existing folder; the files of one use are removed before the next begins */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(frame: PolarsFrame): Promise<void> {
    for (const batch of this.#batches.add(frame)) await this.#write(batch);
  }

  /** Takes over an IPC file. */
  async addFile(path: string): Promise<void> {
    await this.spill();
    this.#paths.push(path);
  }

  /** Puts aside what is still in memory. */
  async spill(): Promise<void> {
    if (!this.#batches.isEmpty) await this.#write(this.#batches.take());
  }

  /** All rows, in the order in which they came. At least one frame has been added. */
  async scan(): Promise<pl.LazyDataFrame> {
    if (this.#paths.length === 0) return this.#batches.take().lazy();
    await this.spill();
    return scanIpcFiles(this.#paths);
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    for (const path of this.#paths.splice(0)) await rm(path);
  }

  async #write(batch: PolarsFrame): Promise<void> {
    const path = join(this.#folder, `part-${this.#paths.length}.ipc`);
    this.#paths.push(path);
    await writeFile(path, batch.writeIPC());
  }
}
