import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { NewFile } from "../../bufferedFile.js";

/** Writes the parts of a zip file one after another, each as a whole or in pieces. */
export class ZipOutput {
  readonly #zip = new ZipFile();
  readonly #output = this.#zip.outputStream as Readable;
  readonly #written: Promise<void>;
  #part: PassThrough | undefined;

  constructor({ path, mode }: NewFile) {
    this.#zip.on("error", (error: Error) => this.#output.destroy(error));
    this.#written = pipeline(this.#output, createWriteStream(path, { flags: "wx", mode }));
    // Rejects a pending write.
    this.#written.catch((error: Error) => this.#part?.destroy(error));
  }

  add(name: string, text: string): void {
    this.#zip.addBuffer(Buffer.from(text), name, constantTime());
  }

  /** Begins a part that `write` appends to, until `close`. */
  begin(name: string): void {
    this.#part = new PassThrough().on("error", () => undefined);
    this.#zip.addReadStream(this.#part, name, constantTime());
  }

  /** Appends to the current part. Resolves when it accepts more. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#part?.errored) throw this.#part.errored;
    if (this.#part?.write(bytes) === false) await once(this.#part, "drain");
  }

  close(): void {
    this.#part?.end();
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.#written;
  }

  /** Call instead of `end` after a failure: closes open files. */
  async abort(): Promise<void> {
    this.#part?.destroy();
    this.#output.destroy();
    await this.#written.catch(() => undefined);
  }
}

/** A constant time in every time zone, so that equal parts give equal bytes. */
function constantTime() {
  // The second day, because yazl writes local time and clamps it to a first day computed in the time zone at load.
  return { mtime: new Date(1980, 0, 2), forceDosTimestamp: true };
}
