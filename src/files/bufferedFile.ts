import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Bytes to buffer before a write. */
const BUFFER_BYTES = 2 ** 20;

/** The SHA-256 of files that were hashed while they were written, by path, in the notation of Data Package: `sha256:…`. */
export type FileHashes = Map<string, string>;

/** A file to create. */
export interface NewFile {
  /** Nothing is there yet. */
  readonly path: string;
  /** Receives the SHA-256 of the file when it is complete. */
  readonly hashes?: FileHashes | undefined;
  /** Mode of the file, reduced by the umask. Default 0666. */
  readonly mode?: number | undefined;
}

/** Creates an empty file, which polars then overwrites. */
export function createFile(path: string, mode?: number): void {
  closeSync(openSync(path, "wx", mode));
}

/**
 * A new file that is written sequentially. While one buffer is being written, the caller can fill the next. The file is
 * hashed on the way, so that nobody has to read it again.
 */
export class BufferedFile {
  readonly #path: string;
  readonly #hashes: FileHashes | undefined;
  readonly #hash = createHash("sha256");
  readonly #file: Promise<FileHandle>;
  #parts: Buffer[] = [];
  #size = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ path, hashes, mode }: NewFile) {
    this.#path = path;
    this.#hashes = hashes;
    this.#file = open(path, "wx", mode);
    this.#file.catch(() => undefined); // The first write rejects with it.
  }

  /** Appends bytes; do not change them afterwards. Resolves when there is room for more. */
  async write(bytes: Buffer | string): Promise<void> {
    const part = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    if (this.#hashes !== undefined) this.#hash.update(part);
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size >= BUFFER_BYTES) await this.#flush();
  }

  /** Writes the rest and closes the file. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writing;
    await (await this.#file).close();
    this.#hashes?.set(this.#path, `sha256:${this.#hash.digest("hex")}`);
  }

  /** Closes the file without writing the rest. */
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
    // A failure surfaces at the next write, which awaits this one.
    this.#writing.catch(() => undefined);
  }
}

async function writeAll(file: FileHandle, parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    for (let done = 0; done < part.length; ) done += (await file.write(part, done)).bytesWritten;
  }
}
