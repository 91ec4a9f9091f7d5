import type { Page } from "../service/paging/page.js";
import { ByteFile } from "./byteFile.js";
import { rowBytes } from "./rowBytes.js";

/** Writes pages of rows as they were sent: JSON Lines, or a JSON list with a row per line. */
export async function sinkRows(pages: AsyncIterable<Page>, path: string, format: "json" | "jsonl"): Promise<void> {
  const [start, between, end] = format === "json" ? ["[\n", ",\n", "\n]\n"] : ["", "\n", "\n"];
  const file = new ByteFile(path);
  let isEmpty = true;
  try {
    for await (const page of pages) {
      if (page.offsets.length === 0) continue;
      await file.write(isEmpty ? start : between);
      await file.write(rowBytes(page, between));
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

/** Writes the body of the first page exactly as it was sent. */
export async function sinkBody(pages: AsyncIterable<Page>, path: string): Promise<void> {
  const file = new ByteFile(path);
  try {
    for await (const { bytes } of pages) await file.write(bytes);
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}
