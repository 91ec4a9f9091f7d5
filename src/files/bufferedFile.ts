import { closeSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A file to create. */
export interface NewFile {
  /** Nothing is there yet. */
  readonly path: string;
  /** Mode of the file, reduced by the umask. Default 0666. */
  readonly mode?: number | undefined;
}

/** Creates an empty file, which polars then overwrites. */
export function createFile({ path, mode }: NewFile): void {
  closeSync(openSync(path, "wx", mode));
}

/** A new file that is written sequentially. */
export class BufferedFile {
  readonly #file: Promise<FileHandle>;
  /** What is being written, while the caller makes the next bytes. */
  #writing: Promise<void> = Promise.resolve();

  constructor({ path, mode }: NewFile) {
    this.#file = open(path, "wx", mode);
    this.#file.catch(() => undefined);
  }

  /** Appends bytes; do not change them afterwards. Resolves when the bytes before them are written. */
  async write(bytes: Buffer | string): Promise<void> {
    await this.#writing;
    this.#writing = this.#file.then((file) => file.appendFile(bytes));
    this.#writing.catch(() => undefined);
  }

  /** Writes the rest and closes the file. */
  async end(): Promise<void> {
    await this.#writing;
    await (await this.#file).close();
  }

  /** Closes the file, whatever was written. */
  async abort(): Promise<void> {
    await this.#file.then((file) => file.close()).catch(() => undefined);
  }
}
