import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { ScannedRows } from "../../pages/rows.js";
import { BatchFile } from "./batchFile.js";

/** Rows per temporary file, and at most in memory. */
const ROWS_PER_FILE = 16_384;

/**
 * Spills frames of one schema, and rows of which no frame was built, to temporary Arrow files. polars maps them into memory
 * that the system can take back at any time.
 */
export class FrameSpill {
  readonly #directory: string;
  readonly #paths: string[] = [];
  #frames: PolarsFrame[] = [];
  #height = 0;
  /** The file to which rows without a frame are being appended. */
  #rows: BatchFile | undefined;

  /** @param directory an existing directory. Call `remove` before another spill uses it */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(frame: PolarsFrame): Promise<void> {
    this.#endRows();
    this.#frames.push(frame);
    this.#height += frame.height;
    if (this.#height >= ROWS_PER_FILE) await this.#flush();
  }

  /** Adds rows without a frame. Add a frame with their columns first, possibly without rows. */
  async addRows(page: ScannedRows): Promise<void> {
    if (this.#height > 0) await this.#flush();
    this.#rows ??= new BatchFile(this.#nextPath(), page.tape.shape);
    this.#rows.add(page);
    if (this.#rows.height >= ROWS_PER_FILE) this.#endRows();
  }

  /** Writes the rows in memory. Requires at least one frame. Returns the paths of the files, in the order of the rows. */
  async end(): Promise<readonly string[]> {
    this.#endRows();
    if (this.#height > 0 || this.#paths.length === 0) await this.#flush();
    return this.#paths;
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    this.#rows?.close();
    for (const path of this.#paths.splice(0)) await rm(path, { force: true });
  }

  #endRows(): void {
    const rows = this.#rows;
    this.#rows = undefined;
    rows?.end();
  }

  async #flush(): Promise<void> {
    // "vertical" takes quadratic time.
    const batch = pl.concat(this.#frames, { how: "diagonal" });
    this.#frames = [];
    this.#height = 0;
    await writeFile(this.#nextPath(), batch.writeIPC(), { mode: 0o600 });
  }

  #nextPath(): string {
    const path = join(this.#directory, `part-${this.#paths.length}.arrow`);
    this.#paths.push(path);
    return path;
  }
}
