import { joinRows } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";

/** The content of a file, in parts as they become available. */
export type Chunks = AsyncIterable<Buffer | string>;

/** Response bodies exactly as sent. */
export async function* bodiesAsSent(pages: AsyncIterable<Page>): Chunks {
  for await (const { bytes } of pages) yield bytes;
}

/** Rows as sent by the service: as JSON Lines, or as a JSON array with one row per line. */
export async function* rowsAsSent(pages: AsyncIterable<Page>, format: "json" | "jsonl"): Chunks {
  if (format === "json") return yield* jsonArray(joinedRows(pages, ",\n"));
  for await (const lines of joinedRows(pages, "\n")) {
    yield lines;
    yield "\n";
  }
}

async function* joinedRows(pages: AsyncIterable<Page>, separator: "\n" | ",\n"): Chunks {
  for await (const page of pages) if (page.tape.rows > 0) yield joinRows(page, separator);
}

/** A JSON array with one row per line. @param parts rows, separated by a comma and a line feed */
export async function* jsonArray(parts: Chunks): Chunks {
  let isEmpty = true;
  for await (const rows of parts) {
    yield isEmpty ? "[\n" : ",\n";
    yield rows;
    isEmpty = false;
  }
  yield isEmpty ? "[]\n" : "\n]\n";
}
