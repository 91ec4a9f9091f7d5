import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { ByteSink } from "../files/sinkRows.js";
import { escapedLines } from "../util/quoted.js";
import { outputStream } from "./print.js";

/** The reader of standard output has closed it, as `head` does. */
export class OutputClosed extends Error {}

/** The exit status of a program that ended because its reader had closed the pipe: 128 + SIGPIPE. */
export const OUTPUT_CLOSED_STATUS = 141;

/**
 * Standard output as a sink of bytes. On a terminal, control characters in received text are escaped.
 *
 * @example
 * const output = new StandardOutput();
 * await output.write('{"id":1}\n');
 */
export class StandardOutput implements ByteSink {
  readonly #stream = outputStream();
  #error: Error | undefined;

  constructor() {
    this.#stream.on("error", this.#onError);
  }

  readonly #onError = (error: Error): void => {
    this.#error ??= error;
  };

  /** @throws OutputClosed */
  async write(bytes: Buffer | string): Promise<void> {
    const sent = this.#stream.isTTY ? escapedLines(String(bytes)) : bytes;
    try {
      if (this.#error === undefined && !this.#stream.write(sent)) await once(this.#stream, "drain");
      // An error of the write itself is reported in the next turn.
      await new Promise(setImmediate);
      if (this.#error !== undefined) throw this.#error;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "EPIPE" ? new OutputClosed() : error;
    }
  }

  /** Writes a whole file. */
  async copy(path: string): Promise<void> {
    for await (const bytes of createReadStream(path)) await this.write(bytes as Buffer);
  }

  async end(): Promise<void> {}

  async abort(): Promise<void> {}
}
