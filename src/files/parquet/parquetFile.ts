import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PolarsFrame } from "../../frames/polars.js";
import type { ScannedRows } from "../../pages/rows.js";
import { BufferedFile } from "../bufferedFile.js";
import type { WriterTarget } from "../frameWriter.js";
import { MergedFooter } from "./mergedFooter.js";
import { RowGroup } from "./rowGroup.js";

/** Larger row groups take three times the memory, and polars does not accept a larger number. */
export const ROW_GROUP_ROWS = 32_767;

/** How polars encodes Parquet files. */
export const PARQUET_OPTIONS = { compression: "zstd", statistics: true, rowGroupSize: ROW_GROUP_ROWS } as const;

const MAGIC = Buffer.from("PAR1");
/** After the metadata follow its length and the magic number. */
const FOOTER_BYTES = 8;

/**
 * A Parquet file with zstd compression and statistics, written by row groups. While threads of polars encode one, the caller
 * collects the rows of the next. No more than these two are in memory.
 */
export class ParquetFile {
  readonly #footer = new MergedFooter();
  readonly #file: BufferedFile;
  /** polars writes each row group to a file of its own, whose row groups are then copied. */
  readonly #groupPath: string;
  /** The row group that rows are collected for. */
  #group: RowGroup;
  /** A frame with the columns of all rows. */
  #columns: PolarsFrame | undefined;
  #groups = 0;
  #size = 0;
  #encoding: Promise<void> = Promise.resolve();

  /** @param target the file to create; it must not exist */
  constructor({ path, scratch, hashes }: Pick<WriterTarget, "path" | "scratch" | "hashes">) {
    this.#file = new BufferedFile(path, hashes);
    this.#groupPath = join(scratch, "group.parquet");
    this.#group = this.#newGroup();
  }

  /** Appends the rows of a frame. All frames have the same columns and dtypes. */
  async write(frame: PolarsFrame): Promise<void> {
    this.#columns ??= frame.slice(0, 0);
    for (let from = 0; from < frame.height; ) {
      const rows = Math.min(this.#room, frame.height - from);
      this.#group.addFrame(frame.slice(from, rows));
      from += rows;
      if (this.#room === 0) await this.#endGroup();
    }
  }

  /** Appends the rows of a page that all fit its shape. Write a frame with their columns first, possibly without rows. */
  async writeRows(page: ScannedRows): Promise<void> {
    for (let from = 0; from < page.tape.rows; ) {
      const rows = Math.min(this.#room, page.tape.rows - from);
      this.#group.addRows(page, from, rows);
      from += rows;
      if (this.#room === 0) await this.#endGroup();
    }
  }

  /**
   * Completes the file. Requires at least one frame, possibly without rows.
   *
   * @param keyValues entries for the key-value metadata
   */
  async end(keyValues: ReadonlyMap<string, string>): Promise<void> {
    if (this.#groups === 0 && this.#group.rows === 0) this.#group.addFrame(this.#columns as PolarsFrame);
    if (this.#groups === 0 || this.#group.rows > 0) await this.#endGroup();
    await this.#encoding;
    const metadata = this.#footer.encode(keyValues);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    await this.#append(Buffer.concat([metadata, length, MAGIC]));
    await this.#file.end();
  }

  /** Call instead of `end` after a failure. */
  async abort(): Promise<void> {
    await this.#encoding.catch(() => undefined);
    await this.#group.remove();
    await this.#file.abort();
  }

  /** How many more rows the row group takes. */
  get #room(): number {
    return ROW_GROUP_ROWS - this.#group.rows;
  }

  #newGroup(): RowGroup {
    return new RowGroup(`${this.#groupPath}.${this.#groups}`);
  }

  async #endGroup(): Promise<void> {
    const group = this.#group;
    // polars would create a missing directory.
    if (this.#groups++ === 0) {
      await this.#file.opened();
      await this.#append(MAGIC);
    }
    this.#group = this.#newGroup();
    await this.#encoding;
    this.#encoding = this.#encode(group);
    // A failure surfaces at the next await.
    this.#encoding.catch(() => undefined);
  }

  async #encode(group: RowGroup): Promise<void> {
    await group
      .scan()
      .sinkParquet(this.#groupPath, { ...PARQUET_OPTIONS })
      .collect();
    await group.remove();
    const file = await readFile(this.#groupPath);
    await rm(this.#groupPath);
    const end = file.length - FOOTER_BYTES;
    const start = end - file.readUInt32LE(end);
    this.#footer.add(file.subarray(start, end), this.#size - MAGIC.length);
    await this.#append(file.subarray(MAGIC.length, start));
  }

  async #append(bytes: Buffer): Promise<void> {
    this.#size += bytes.length;
    await this.#file.write(bytes);
  }
}
