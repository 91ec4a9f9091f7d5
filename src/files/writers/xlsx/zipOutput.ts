import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { ZipFile } from "yazl";
import { ByteFile } from "../../byteFile.js";

/** A zip file whose parts are written one after the other, some of them bit by bit. */
export class ZipOutput {
  readonly #zip = new ZipFile();
  readonly #output = this.#zip.outputStream as Readable;
  readonly #file: ByteFile;
  readonly #written: Promise<void>;
  #part: PassThrough | undefined;
  #failure: { readonly error: Error } | undefined;

  /** @param path the file to make; it does not exist */
  constructor(path: string) {
    this.#file = new ByteFile(path);
    this.#zip.on("error", (error: Error) => this.#output.destroy(error));
    this.#written = this.#pump();
    this.#written.catch((error: Error) => {
      this.#failure = { error };
      this.#part?.destroy(error); // Whoever waits for it to take more hears of it.
    });
  }

  /** Adds a whole part. */
  add(name: string, text: string): void {
    this.#zip.addBuffer(Buffer.from(text), name, sameAlways());
  }

  /** Begins a part; what is written goes there, until `close`. */
  begin(name: string): void {
    this.#part = new PassThrough().on("error", () => undefined);
    this.#zip.addReadStream(this.#part, name, sameAlways());
  }

  /** Appends to the part that was begun. Resolves when it takes more. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#part?.write(bytes) === false) await once(this.#part, "drain");
  }

  /** Ends the part that was begun. */
  close(): void {
    this.#part?.end();
  }

  /** Completes the file. */
  async end(): Promise<void> {
    this.#zip.end();
    await this.#written;
  }

  /** Instead of `end`: closes what is open. */
  async abort(): Promise<void> {
    this.#part?.destroy();
    this.#output.destroy();
    await this.#written.catch(() => undefined);
    await this.#file.abort();
  }

  async #pump(): Promise<void> {
    for await (const bytes of this.#output) await this.#file.write(bytes as Buffer);
    await this.#file.end();
  }
}

/** No time of now, nor one that depends on the zone of the machine: the same parts are to give the same bytes. */
function sameAlways() {
  // yazl writes local time, and what it takes for the first day it has learnt in the zone of then: hence the second.
  return { mtime: new Date(1980, 0, 2), forceDosTimestamp: true };
}
