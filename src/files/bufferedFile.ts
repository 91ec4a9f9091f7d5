import { once } from "node:events";
import { closeSync, createWriteStream, openSync, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { joinRows } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";

const BUFFER_BYTES = 2 ** 20;

export interface NewFile {
  /** Must not exist. */
  readonly path: string;
  /** Mode of the file, reduced by the umask. Default 0666. */
  readonly mode?: number | undefined;
}

/** Creates an empty file for polars to overwrite. */
export function createFile({ path, mode }: NewFile): void {
  closeSync(openSync(path, "wx", mode));
}

/** A new file, written sequentially. While one buffer is written, the caller can fill the next. */
export class BufferedFile {
  readonly #stream: WriteStream;
  #failure: Error | undefined;

  constructor({ path, mode }: NewFile) {
    this.#stream = createWriteStream(path, { flags: "wx", mode, highWaterMark: BUFFER_BYTES });
    this.#stream.on("error", (error) => {
      this.#failure = error;
    });
  }

  /** Appends bytes; do not change them afterwards. Resolves when it accepts more. */
  async write(bytes: Buffer | string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#stream.write(bytes)) await once(this.#stream, "drain");
  }

  /** Writes the rest and closes the file. */
  async end(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#stream.end();
    await finished(this.#stream);
  }

  async abort(): Promise<void> {
    this.#stream.destroy();
    if (!this.#stream.closed) await once(this.#stream, "close").catch(() => undefined);
  }
}

export type ByteSink = Pick<BufferedFile, "write" | "end" | "abort">;

/** Writes to a file and ends it; aborts it after a failure. */
export async function writing(file: Pick<ByteSink, "end" | "abort">, write: () => Promise<void>): Promise<void> {
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
