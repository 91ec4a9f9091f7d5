import { isUtf8 } from "node:buffer";
import { NEWLINE, RETURN } from "../service/json/jsonBytes.js";
import type { Page } from "../service/paging/page.js";

/**
 * The rows of a page as they were sent, each on one line, with a text between one and the next.
 *
 * @param between `"\n"` for JSON Lines, `",\n"` for a list
 */
export function rowBytes({ bytes, offsets, hasNewlines }: Page, between: string): Buffer {
  const gap = Buffer.from(between);
  let size = 0;
  for (let at = 0; at < offsets.length; at += 2)
    size += (offsets[at + 1] as number) - (offsets[at] as number) + gap.length;
  const rows = Buffer.allocUnsafe(Math.max(0, size - gap.length));
  let end = 0;
  for (let at = 0; at < offsets.length; at += 2) {
    if (at > 0) end += gap.copy(rows, end);
    const start = end;
    end += bytes.copy(rows, end, offsets[at], offsets[at + 1]);
    // Inside a row a line break can only be white space.
    if (hasNewlines) for (let p = start; p < end; p++) if (rows[p] === NEWLINE || rows[p] === RETURN) rows[p] = 0x20;
  }
  return isUtf8(rows) ? rows : Buffer.from(rows.toString());
}
