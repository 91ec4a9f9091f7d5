import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PolarsFrame, pl } from "../../frames/polars.js";

/** Rows per temporary file, and at most in memory. */
const ROWS_PER_FILE = 16_384;

/**
 * Spills frames of one schema to temporary Arrow files. polars maps them into memory that the system can take back at any time.
 */
export class FrameSpill {
  readonly #directory: string;
  readonly #paths: string[] = [];
  #frames: PolarsFrame[] = [];
  #height = 0;

  /** @param directory an existing directory. Call `remove` before another spill uses it */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(frame: PolarsFrame): Promise<void> {
    this.#frames.push(frame);
    this.#height += frame.height;
    if (this.#height >= ROWS_PER_FILE) await this.#flush();
  }

  /** Writes the rows in memory. Requires at least one frame. Returns the paths of the files, in the order of the rows. */
  async end(): Promise<readonly string[]> {
    if (this.#height > 0 || this.#paths.length === 0) await this.#flush();
    return this.#paths;
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    for (const path of this.#paths.splice(0)) await rm(path, { force: true });
  }

  async #flush(): Promise<void> {
    // "vertical" takes quadratic time.
    const batch = pl.concat(this.#frames, { how: "diagonal" });
    this.#frames = [];
    this.#height = 0;
    const path = join(this.#directory, `part-${this.#paths.length}.arrow`);
    this.#paths.push(path);
    await writeFile(path, batch.writeIPC(), { mode: 0o600 });
  }
}
