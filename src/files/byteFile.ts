import { type FileHandle, open } from "node:fs/promises";

/** Bytes that are gathered before they are written. */
const STAGE_BYTES = 2 ** 20;

/** A file that is made from beginning to end; the next bytes are prepared while the last ones are written. */
export class ByteFile {
  #file: Promise<FileHandle>;
  #parts: Buffer[] = [];
  #size = 0;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param path the file to make; it does not exist */
  constructor(path: string) {
    this.#file = open(path, "wx");
    this.#file.catch(() => undefined); // Whoever writes first hears of it.
  }

  /** Appends bytes, which are not to be changed afterwards. Resolves when more may come. */
  async write(bytes: Buffer | string): Promise<void> {
    const part = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size >= STAGE_BYTES) await this.#flush();
  }

  /** Writes what is left, and closes. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writing;
    await (await this.#file).close();
  }

  /** Closes without writing what is left. */
  async abort(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.then((file) => file.close()).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    await this.#writing;
    const file = await this.#file;
    this.#writing = writeAll(file, parts);
    // It is awaited before the next bytes go; until then a failure waits too.
    this.#writing.catch(() => undefined);
  }
}

async function writeAll(file: FileHandle, parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    for (let done = 0; done < part.length; ) done += (await file.write(part, done)).bytesWritten;
  }
}
