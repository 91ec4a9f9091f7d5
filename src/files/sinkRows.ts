import { isUtf8 } from "node:buffer";
import { NEWLINE, RETURN } from "../service/json/jsonBytes.js";
import type { Page } from "../service/paging/page.js";
import { BufferedFile } from "./bufferedFile.js";
import type { WriterTarget } from "./frameWriter.js";

/** Writes rows as the service sent them: as JSON Lines, or as a JSON array with one row per line. */
export async function sinkRows(
  pages: AsyncIterable<Page>,
  { path, hashes }: WriterTarget,
  format: "json" | "jsonl",
): Promise<void> {
  const [start, separator, end] = format === "json" ? ["[\n", ",\n", "\n]\n"] : ["", "\n", "\n"];
  const file = new BufferedFile(path, hashes);
  let isEmpty = true;
  try {
    for await (const page of pages) {
      if (page.offsets.length === 0) continue;
      await file.write(isEmpty ? start : separator);
      await file.write(joinRows(page, separator));
      page.release();
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
export async function sinkBody(pages: AsyncIterable<Page>, { path, hashes }: WriterTarget): Promise<void> {
  const file = new BufferedFile(path, hashes);
  try {
    for await (const { bytes } of pages) await file.write(bytes);
    await file.end();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** The rows of a page as the service sent them, each on one line, joined by a separator. */
function joinRows({ bytes, offsets, hasNewlines }: Page, separatorText: string): Buffer {
  const separator = Buffer.from(separatorText);
  let size = 0;
  for (let at = 0; at < offsets.length; at += 2)
    size += (offsets[at + 1] as number) - (offsets[at] as number) + separator.length;
  const rows = Buffer.allocUnsafe(Math.max(0, size - separator.length));
  let end = 0;
  for (let at = 0; at < offsets.length; at += 2) {
    if (at > 0) end += separator.copy(rows, end);
    const start = end;
    end += bytes.copy(rows, end, offsets[at], offsets[at + 1]);
    // In JSON a raw line break can only be white space between tokens.
    if (hasNewlines) for (let p = start; p < end; p++) if (rows[p] === NEWLINE || rows[p] === RETURN) rows[p] = 0x20;
  }
  return isUtf8(rows) ? rows : Buffer.from(rows.toString());
}
