import { joinRows } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";
import type { BufferedFile } from "./bufferedFile.js";

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

/** Writes response bodies exactly as sent. */
export function sinkBody(pages: AsyncIterable<Page>, file: ByteSink): Promise<void> {
  return writing(file, async () => {
    for await (const { bytes } of pages) await file.write(bytes);
  });
}
