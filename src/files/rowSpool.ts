import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chunk } from "../frames/chunk.js";
import { pl } from "../frames/polars.js";
import { toFileError } from "../fs/toFileError.js";

/** Rows that stay in memory, by the size of their JSON. */
const MEMORY_BYTES = 16 * 2 ** 20;

/** A chunk whose rows are in the file. */
interface Stored {
  readonly columns: Chunk["columns"];
  readonly at: number;
  readonly size: number;
}

/** Some rows in a row of the harvest, and how many bytes they were. */
interface Group {
  readonly chunks: ReadonlyArray<Chunk | Stored>;
  readonly bytes: number;
}

/**
 * The rows of a harvest as they came, group by group, before their columns have final types. The first megabytes stay in
 * memory, the rest goes into a temporary file that nobody else can open. It is gone when the process ends, however it ends.
 */
export class RowSpool {
  #groups: Group[] = [];
  /** Bytes of the groups in memory. */
  #held = 0;
  #file: TemporaryFile | undefined;

  /** @param inMemory bytes that stay in memory; infinity for no file at all */
  constructor(readonly inMemory = MEMORY_BYTES) {}

  /** @throws FileError where the temporary file cannot be written */
  push(chunks: readonly Chunk[], bytes: number): void {
    if (this.#held + bytes <= this.inMemory || bytes === 0) {
      this.#held += bytes;
      this.#groups.push({ chunks, bytes });
      return;
    }
    this.#file ??= new TemporaryFile();
    const file = this.#file;
    this.#groups.push({ chunks: chunks.map((chunk) => file.store(chunk)), bytes: 0 });
  }

  /** The chunks of each group. */
  *groups(): Generator<Chunk[], void, undefined> {
    for (const { chunks } of this.#groups) {
      yield chunks.map((chunk) => ("frame" in chunk ? chunk : (this.#file as TemporaryFile).load(chunk)));
    }
  }

  /** Forgets the first `count` groups. */
  drop(count: number): void {
    for (const { bytes } of this.#groups.splice(0, count)) this.#held -= bytes;
    if (this.#groups.every(({ chunks }) => chunks.every((chunk) => "frame" in chunk))) this.close();
  }

  /** Removes the file. What was in it cannot be read any more. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** Files that nobody closed: of a failure whose rows were never looked at. */
const forgotten = new FinalizationRegistry<() => void>((close) => close());

class TemporaryFile {
  readonly #descriptor: number;
  readonly #close: () => void;
  #end = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "archive-frames-"));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    try {
      const descriptor = openSync(join(folder, "rows"), "wx+", 0o600);
      this.#descriptor = descriptor;
      // An open file needs no name, except on Windows.
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
    forgotten.register(this, this.#close, this);
  }

  store({ frame, columns }: Chunk): Stored {
    const bytes = frame.writeIPC({ compression: "lz4" });
    const at = this.#end;
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at + done);
    } catch (cause) {
      throw toFileError(cause, tmpdir());
    }
    this.#end += bytes.length;
    return { columns, at, size: bytes.length };
  }

  load({ columns, at, size }: Stored): Chunk {
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let got = 0; got < size; ) {
      const count = readSync(this.#descriptor, bytes, got, size - got, at + got);
      if (count === 0) throw toFileError(new Error("a temporary file has been cut"), tmpdir());
      got += count;
    }
    return { frame: pl.readIPC(bytes), columns };
  }

  close(): void {
    forgotten.unregister(this);
    this.#close();
  }
}
