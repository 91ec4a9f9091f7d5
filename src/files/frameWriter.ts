import type { PolarsFrame } from "../frames/polars.js";

/**
 * Makes a file of frames that come one after the other. Every frame of a file has the same columns and dtypes in the same
 * order; at least one comes, if only without rows. Whoever opened the writer puts the finished file in its place.
 */
export interface FrameWriter {
  /** Appends the rows of a frame. Not called again before the promise resolves. */
  write(frame: PolarsFrame): Promise<void>;
  /** Completes the file. */
  end(): Promise<void>;
  /** Instead of `end`: closes what is open. What is left of the file is for the caller to remove. */
  abort(): Promise<void>;
}

/** Where a writer writes. */
export interface WriterTarget {
  /** The file to make; for a dataset of several files the folder to make. It does not exist. */
  readonly path: string;
  /** An existing, empty folder for what is only needed until the end; the caller removes it. */
  readonly scratch: string;
  /** What the rows are, in a word: "mentions". */
  readonly name: string;
  /** What the file is to say of where its rows come from, where its format can; asked for when all rows have come. */
  readonly note?: (() => string | undefined) | undefined;
}

/** What a file looks like, beyond its format. */
export interface FormatOptions {
  /** CSV: begin with a byte-order mark, by which Excel knows UTF-8. Default false. */
  bom?: boolean | undefined;
  /**
   * CSV: a `'` before text that a spreadsheet would execute, headers included: before `= + - @` (full-width ones too) at the beginning
   * of a text, also behind white space and control characters, and behind a `;`, a tab or a line break in it, where readers may split.
   * Default false.
   */
  excelSafe?: boolean | undefined;
  /** XLSX: what becomes of rows beyond 1,048,575: further sheets ("sheets", the default) or an error ("error"). */
  overflow?: "sheets" | "error" | undefined;
  /**
   * Parquet: write a folder of files by the values of these columns, which then stand in the names of its folders (hive). A
   * column of whole numbers or booleans by its name; a moment by `{ year: "begintime" }`, `month` or `day`.
   */
  partitionBy?: PartitionBy | undefined;
  /** Parquet and Arrow to an object store (`s3://…`): what the store needs, for example `aws_region`. */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
}

/** One or several keys of a partitioned dataset. */
export type PartitionBy = PartitionKey | readonly PartitionKey[];

/** A column by its value, or a column of moments by its year, year and month, or year, month and day. */
export type PartitionKey = string | { readonly year: string } | { readonly month: string } | { readonly day: string };

/** Opens a writer. */
export type OpenWriter = (target: WriterTarget, formatOptions: FormatOptions) => FrameWriter;
