import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { type ByteSink, writing } from "../sinkRows.js";

/** What every message begins with, and the end of a stream: a message without bytes. */
const CONTINUATION = Buffer.from([255, 255, 255, 255]);
const END = Buffer.concat([CONTINUATION, Buffer.alloc(4)]);
/** Bytes of `ARROW1` and padding, which an Arrow file has before its stream. */
const MAGIC = 8;
/** Bytes of the size of the footer and `ARROW1`, which an Arrow file ends with. */
const TAIL = 10;

/**
 * Writes frames as an Arrow IPC stream, each when it arrives, uncompressed and without string views, so that all readers accept it.
 * Polars writes streams with string views only, but an Arrow file has a stream inside.
 */
export function streamArrow(frames: AsyncIterable<PolarsFrame>, sink: ByteSink, scratch: string): Promise<void> {
  const path = join(scratch, "batch.arrow");
  return writing(sink, async () => {
    let schema: string | undefined;
    for await (const frame of frames) {
      await frame.lazy().sinkIpc(path, { compression: "uncompressed", compatLevel: "oldest" }).collect();
      const { head, batches } = messagesOf(await readFile(path));
      const next = JSON.stringify([frame.columns, frame.dtypes.map(String)]);
      if (schema === undefined) await sink.write(head);
      else if (next !== schema) throw widened();
      schema = next;
      if (frame.height > 0) await sink.write(batches);
    }
    await sink.write(END);
  });
}

function messagesOf(file: Buffer): { head: Buffer; batches: Buffer } {
  const footer = file.length - TAIL - file.readInt32LE(file.length - TAIL);
  const start = MAGIC + CONTINUATION.length + 4 + file.readInt32LE(MAGIC + CONTINUATION.length);
  return { head: file.subarray(MAGIC, start), batches: file.subarray(start, footer - END.length) };
}

function widened(): ArchiveError {
  return new ArchiveError("a later page has other columns or types than the rows that were written.", {
    code: "COLUMN_WIDENED",
    hint: 'Use format: "arrow", which writes when all rows are there.',
  });
}
