import { rm } from "node:fs/promises";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanIpcFiles } from "../../frames/polarsPlan.js";
import type { ScannedRows } from "../../pages/rows.js";
import { BatchFile } from "./batchFile.js";

/** The rows of a row group until they are encoded: frames, and temporary files of rows of which no frame was built. */
export class RowGroup {
  /** Rows so far. */
  rows = 0;
  readonly #parts: LazyFrame[] = [];
  readonly #paths: string[] = [];
  /** The file to which rows are being appended. */
  #file: BatchFile | undefined;

  /** @param path the beginning of the paths of its files */
  constructor(readonly path: string) {}

  addFrame(frame: PolarsFrame): void {
    this.#endFile();
    this.#parts.push(frame.lazy());
    this.rows += frame.height;
  }

  /** Adds `rows` rows of a page, from row `from` on. */
  addRows(page: ScannedRows, from: number, rows: number): void {
    this.#file ??= this.#newFile(page);
    this.#file.add(page, from, rows);
    this.rows += rows;
  }

  /** All rows in order. Requires a part. */
  scan(): LazyFrame {
    this.#endFile();
    const [first] = this.#parts as [LazyFrame];
    return this.#parts.length === 1 ? first : pl.concat(this.#parts, { how: "vertical", rechunk: false });
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    this.#file?.close();
    for (const path of this.#paths) await rm(path, { force: true });
  }

  #newFile({ tape }: ScannedRows): BatchFile {
    const path = `${this.path}.${this.#paths.length}.arrow`;
    this.#paths.push(path);
    return new BatchFile(path, tape.shape);
  }

  #endFile(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    file.end();
    this.#parts.push(scanIpcFiles([file.path]));
  }
}
