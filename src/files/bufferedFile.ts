import { once } from "node:events";
import { closeSync, createWriteStream, openSync, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";

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

  /** Closes the file without writing the rest. */
  async abort(): Promise<void> {
    this.#stream.destroy();
    if (!this.#stream.closed) await once(this.#stream, "close").catch(() => undefined);
  }
}
