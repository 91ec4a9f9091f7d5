import { csvLines, hasCsvLines } from "../pages/csvLines.js";
import { joinRows, type RowShape } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";
import type { BufferedFile } from "./bufferedFile.js";
import { csvHeader } from "./writers/csvWriter.js";

/** A file, or standard output. */
export type ByteSink = Pick<BufferedFile, "write" | "end" | "abort">;

/** Writes to a file and ends it; aborts it after a failure. */
export async function writing(file: ByteSink, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** Writes rows as sent by the service: as JSON Lines, or as a JSON array with one row per line. */
export function sinkRows(pages: AsyncIterable<Page>, file: ByteSink, format: "json" | "jsonl"): Promise<void> {
  const [start, separator, end] = format === "json" ? (["[\n", ",\n", "\n]\n"] as const) : (["", "\n", "\n"] as const);
  return writing(file, async () => {
    let isEmpty = true;
    for await (const page of pages) {
      if (page.tape.rows === 0) continue;
      await file.write(isEmpty ? start : separator);
      await file.write(joinRows(page, separator));
      isEmpty = false;
    }
    if (!isEmpty) await file.write(end);
    else if (format === "json") await file.write("[]\n");
  });
}

/**
 * Writes rows as CSV without building a frame, with the same bytes.
 * @returns false if some rows do not have this shape; then the file is incomplete, but all pages are consumed
 */
export async function sinkCsv(
  pages: AsyncIterable<Page>,
  file: ByteSink,
  shape: RowShape,
  bom = false,
): Promise<boolean> {
  let fits = true;
  await writing(file, async () => {
    await file.write(`${bom ? "\ufeff" : ""}${csvHeader(shape.names, false)}\r\n`);
    for await (const page of pages) {
      fits &&= page.tape.shape === shape && hasCsvLines(page);
      if (fits && page.tape.rows > 0) await file.write(csvLines(page));
    }
  });
  return fits;
}

/** Writes response bodies exactly as sent. */
export function sinkBody(pages: AsyncIterable<Page>, file: ByteSink): Promise<void> {
  return writing(file, async () => {
    for await (const { bytes } of pages) await file.write(bytes);
  });
}
