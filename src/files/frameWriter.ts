import { writeFile } from "node:fs/promises";

export interface NewFile {
  /** Must not exist. */
  readonly path: string;
  /** Mode of the file, reduced by the umask. Default 0666. */
  readonly mode?: number | undefined;
}

/** What a writer needs besides the rows. */
export interface WriterTarget extends NewFile {
  /** An existing, empty directory for temporary files. The caller removes it. */
  readonly scratch: string;
  /** The name of the rows, such as "mentions": short, only letters. */
  readonly name: string;
}

/**
 * Options of a file format.
 *
 * @example
 * await archive.save("bills", "bills.csv", { query: "budget", bom: true, excelSafe: true });
 */
export interface FormatOptions {
  /** CSV: begin with a byte order mark, so that Excel recognizes UTF-8. Default false. */
  bom?: boolean | undefined;
  /**
   * CSV: put a `'` before text that a spreadsheet would run as a formula, also in headers, and where some readers split a text. Default
   * false.
   */
  excelSafe?: boolean | undefined;
}

/** Creates a file, and writes its chunks as they become available. */
export async function writeNewFile(chunks: AsyncIterable<Buffer | string>, { path, mode }: NewFile): Promise<void> {
  await writeFile(path, chunks, { flag: "wx", mode });
}
