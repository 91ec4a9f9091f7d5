import { closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chunk } from "../frames/chunk.js";
import { pl } from "../frames/polars.js";
import { readBytes, writeBytes } from "../fs/fileBytes.js";
import { withFileErrors } from "../fs/fileErrors.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/temporaryDirectory.js";

/** The amount of JSON whose rows stay in memory. */
const MEMORY_BYTES = 16 * 2 ** 20;

interface SpilledChunk {
  readonly columns: Chunk["columns"];
  readonly at: number;
  readonly size: number;
}

interface Group {
  readonly chunks: ReadonlyArray<Chunk | SpilledChunk>;
  readonly bytes: number;
}

/**
 * Holds the rows of a result in groups until the types of their columns are final. The first megabytes stay in memory, the rest goes to
 * a private temporary file, which disappears with the process, even if it is killed.
 */
export class SpillBuffer {
  #groups: Group[] = [];
  #held = 0;
  #file: TemporaryFile | undefined;

  /** @param maxBytes bytes to keep in memory; Infinity for no file */
  constructor(public maxBytes = MEMORY_BYTES) {}

  /** @throws ArchiveError if the temporary file cannot be written */
  push(chunks: readonly Chunk[], bytes: number): void {
    if (this.#held + bytes <= this.maxBytes || bytes === 0) {
      this.#held += bytes;
      this.#groups.push({ chunks, bytes });
      return;
    }
    this.#file ??= new TemporaryFile();
    const file = this.#file;
    this.#groups.push({ chunks: chunks.map((chunk) => file.store(chunk)), bytes: 0 });
  }

  *groups(): Generator<Chunk[], void, undefined> {
    for (const { chunks } of this.#groups) {
      yield chunks.map((chunk) => ("frame" in chunk ? chunk : (this.#file as TemporaryFile).load(chunk)));
    }
  }

  drop(count: number): void {
    for (const { bytes } of this.#groups.splice(0, count)) this.#held -= bytes;
    if (this.#groups.every(({ chunks }) => chunks.every((chunk) => "frame" in chunk))) this.close();
  }

  /** Removes the file and its rows. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** Closes forgotten files, for example of a failed run whose rows were never read. */
const unclosed = new FinalizationRegistry<() => void>((close) => close());

class TemporaryFile {
  readonly #descriptor: number;
  readonly #close: () => void;
  #end = 0;

  constructor() {
    const directory = temporaryDirectory();
    const remove = () => removeTemporaryDirectory(directory);
    try {
      const descriptor = openPrivateFile(join(directory, "rows"), "create");
      this.#descriptor = descriptor;
      // Unlink the file immediately, so that it cannot outlive the process. Windows does not allow this.
      const isWindows = process.platform === "win32";
      if (!isWindows) remove();
      this.#close = () => {
        closeSync(descriptor);
        if (isWindows) remove();
      };
    } catch (error) {
      remove();
      throw error;
    }
    unclosed.register(this, this.#close, this);
  }

  store({ frame, columns }: Chunk): SpilledChunk {
    const bytes = frame.writeIPC({ compression: "lz4" });
    const at = this.#end;
    withFileErrors(tmpdir(), () => writeBytes(this.#descriptor, bytes, at));
    this.#end += bytes.length;
    return { columns, at, size: bytes.length };
  }

  load({ columns, at, size }: SpilledChunk): Chunk {
    return { frame: pl.readIPC(readBytes(this.#descriptor, at, size)), columns };
  }

  close(): void {
    unclosed.unregister(this);
    this.#close();
  }
}
