import { type FileHandle, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { BufferedFile } from "../../bufferedFile.js";

/** Rows per temporary file at most. */
const MAX_OWN_FILE_ROWS = 16_384;
/** Frames with fewer rows share one file. */
const MIN_OWN_FILE_ROWS = 8192;

/** The location of a frame: the path of its own file, or a range of the shared file. */
type Location = string | { readonly from: number; readonly size: number };

/** Spills the frames of many partitions to temporary files, to read them back by partition. Few files are open at a time. */
export class PartitionSpill {
  readonly #directory: string;
  readonly #partitions = new Map<string, Location[]>();
  readonly #shared: BufferedFile;
  #size = 0;
  #ownFiles = 0;

  /** @param directory an existing directory */
  constructor(directory: string) {
    this.#directory = directory;
    this.#shared = new BufferedFile(this.#sharedPath);
  }

  async add(partition: string, frame: PolarsFrame): Promise<void> {
    const locations = this.#partitions.get(partition) ?? [];
    this.#partitions.set(partition, locations);
    if (frame.height < MIN_OWN_FILE_ROWS) {
      const bytes = frame.writeIPC();
      await this.#shared.write(bytes);
      locations.push({ from: this.#size, size: bytes.length });
      this.#size += bytes.length;
      return;
    }
    for (let from = 0; from < frame.height; from += MAX_OWN_FILE_ROWS) {
      const path = join(this.#directory, `own-${this.#ownFiles++}.ipc`);
      await writeFile(path, frame.slice(from, MAX_OWN_FILE_ROWS).writeIPC());
      locations.push(path);
    }
  }

  /** Calls `write` with each partition and its frames in order, and removes the files. */
  async read(write: (partition: string, frames: AsyncIterable<PolarsFrame>) => Promise<void>): Promise<void> {
    await this.#shared.end();
    const shared = await open(this.#sharedPath);
    try {
      for (const [partition, locations] of this.#partitions) await write(partition, framesAt(locations, shared));
    } finally {
      await shared.close();
    }
    await rm(this.#sharedPath);
  }

  abort(): Promise<void> {
    return this.#shared.abort();
  }

  get #sharedPath(): string {
    return join(this.#directory, "shared");
  }
}

async function* framesAt(locations: readonly Location[], shared: FileHandle): AsyncGenerator<PolarsFrame> {
  for (const location of locations) {
    if (typeof location === "string") {
      yield pl.readIPC(await readFile(location));
      await rm(location);
    } else yield pl.readIPC(await readBytes(shared, location.from, location.size));
  }
}

async function readBytes(file: FileHandle, from: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, size - at, from + at);
    if (bytesRead === 0) throw new Error("A temporary file was truncated.");
    at += bytesRead;
  }
  return bytes;
}
