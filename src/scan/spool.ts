import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chunk } from "../frames/chunk.js";
import { concatFrames } from "../frames/concat.js";
import { columnType } from "../frames/dtypes.js";
import type { FrameBuilder } from "../frames/frameBuilder.js";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";
import { scanIpcFiles } from "../frames/polarsPlan.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/directories.js";
import { withFileErrors } from "../fs/fileErrors.js";
import { sum } from "../util/lists.js";

/** An Arrow file, with the types in which its rows were scanned. */
interface SpooledFile {
  readonly path: string;
  readonly columns: Chunk["columns"];
}

/** The rows of a run as one lazy frame: the latest in memory, the others in Arrow files. */
export class Spool {
  #temporary: string | undefined;
  #files: SpooledFile[] = [];
  #chunks: Chunk[] = [];
  #rows = 0;
  #written = 0;

  /**
   * @param builder the builder of the chunks, which knows the columns of all rows
   * @param directory an existing directory, which the caller removes. Default: a temporary one, which {@link close} removes
   * @param maxRows rows to keep in memory at most
   */
  constructor(
    readonly builder: FrameBuilder,
    readonly directory: string | undefined,
    readonly maxRows: number,
  ) {}

  /** @throws ArchiveError if a file cannot be written */
  add(chunks: readonly Chunk[]): void {
    this.#chunks.push(...chunks);
    this.#rows += sum(chunks.map(({ frame }) => frame.height));
    if (this.#rows >= this.maxRows) this.#spill();
  }

  /** All rows, with the columns and types that follow from all of them. */
  lazy(): LazyFrame {
    const latest = this.builder.frameOf(this.#chunks).lazy();
    return this.#files.length === 0 ? latest : pl.concat([scanIpcFiles(this.#typedFiles()), latest]);
  }

  /** The paths of Arrow files with all rows; at least one. */
  files(): readonly string[] {
    this.#spill();
    return this.#files.length === 0 ? [this.#write(this.builder.frameOf([]))] : this.#typedFiles();
  }

  close(): void {
    if (this.#temporary !== undefined) removeTemporaryDirectory(this.#temporary);
  }

  /** Writes the rows in memory. Consecutive chunks of the same columns go to one file. */
  #spill(): void {
    for (let chunks = this.#chunks; chunks.length > 0; ) {
      const columns = chunks[0]?.columns as Chunk["columns"];
      const end = chunks.findIndex((chunk) => chunk.columns !== columns);
      const frames = chunks.slice(0, end < 0 ? undefined : end).map(({ frame }) => frame);
      this.#files.push({ path: this.#write(concatFrames(frames)), columns });
      chunks = end < 0 ? [] : chunks.slice(end);
    }
    this.#chunks = [];
    this.#rows = 0;
  }

  /** The files with the final types. If a later row has added a column or changed a type, they are written again. */
  #typedFiles(): readonly string[] {
    const final = JSON.stringify([...this.builder.flags].map(([name, flags]) => [name, columnType(flags)]));
    return this.#files.map(({ path, columns }) => {
      if (JSON.stringify([...columns].map(([name, { storedType }]) => [name, storedType])) === final) return path;
      return this.#write(this.builder.frameOf([{ frame: pl.readIPC(readFileSync(path)), columns }]));
    });
  }

  #write(frame: PolarsFrame): string {
    if (this.directory === undefined) this.#temporary ??= temporaryDirectory();
    const directory = this.directory ?? (this.#temporary as string);
    const path = join(directory, `rows-${this.#written++}.arrow`);
    withFileErrors(directory, () => writeFileSync(path, frame.writeIPC(), { flag: "wx", mode: 0o600 }));
    return path;
  }
}
