import { joinRows } from "../pages/lines.js";
import type { Page } from "../service/paging/page.js";
import type { BufferedFile } from "./bufferedFile.js";

/** Where bytes go: a file, or standard output. */
export type ByteSink = Pick<BufferedFile, "write" | "end" | "abort">;

/** Writes rows as the service sent them: as JSON Lines, or as a JSON array with one row per line. */
export async function sinkRows(pages: AsyncIterable<Page>, file: ByteSink, format: "json" | "jsonl"): Promise<void> {
  const [start, separator, end] = format === "json" ? (["[\n", ",\n", "\n]\n"] as const) : (["", "\n", "\n"] as const);
  let isEmpty = true;
  try {
    for await (const page of pages) {
      if (page.offsets.length === 0) continue;
      await file.write(isEmpty ? start : separator);
      await file.write(joinRows(page, separator));
      isEmpty = false;
    }
    if (!isEmpty) await file.write(end);
    else if (format === "json") await file.write("[]\n");
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** Writes response bodies exactly as the service sent them. */
export async function sinkBody(pages: AsyncIterable<Page>, file: ByteSink): Promise<void> {
  try {
    for await (const { bytes } of pages) await file.write(bytes);
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}
