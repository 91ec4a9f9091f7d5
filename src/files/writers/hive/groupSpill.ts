import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { ByteFile } from "../../byteFile.js";
import { FrameParts, PART_ROWS } from "../frameParts.js";

/** A frame with as many rows gets files of its own. */
const LARGE = PART_ROWS / 2;

/** Where a frame is: in a file of its own, or in the file of small ones. */
type Place = string | { readonly from: number; readonly size: number };

/** Frames of many groups, put aside until they are read group by group. Few files are open, and few are made. */
export class GroupSpill {
  readonly #folder: string;
  readonly #groups = new Map<string, Place[]>();
  readonly #small: ByteFile;
  #size = 0;
  #large = 0;

  /** @param folder an existing folder */
  constructor(folder: string) {
    this.#folder = folder;
    this.#small = new ByteFile(this.#smallPath);
  }

  async add(group: string, frame: PolarsFrame): Promise<void> {
    const places = this.#groups.get(group) ?? [];
    this.#groups.set(group, places);
    if (frame.height < LARGE) {
      const bytes = frame.writeIPC();
      await this.#small.write(bytes);
      places.push({ from: this.#size, size: bytes.length });
      this.#size += bytes.length;
      return;
    }
    for (let from = 0; from < frame.height; from += PART_ROWS) {
      const path = join(this.#folder, `large-${this.#large++}.ipc`);
      await writeFile(path, frame.slice(from, PART_ROWS).writeIPC());
      places.push(path);
    }
  }

  /** Calls `take` with each group and its frames, in the order in which they came, and removes the files. */
  async read(take: (group: string, parts: FrameParts) => Promise<void>): Promise<void> {
    await this.#small.end();
    const small = await open(this.#smallPath);
    try {
      for (const [group, places] of this.#groups) {
        const parts = new FrameParts(this.#folder);
        for (const place of places) {
          if (typeof place === "string") await parts.addFile(place);
          else await parts.add(pl.readIPC(await readBytes(small, place.from, place.size)));
        }
        await take(group, parts);
      }
    } finally {
      await small.close();
    }
    await rm(this.#smallPath);
  }

  abort(): Promise<void> {
    return this.#small.abort();
  }

  get #smallPath(): string {
    return join(this.#folder, "small");
  }
}

async function readBytes(file: FileHandle, from: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, size - at, from + at);
    if (bytesRead === 0) throw new Error("What was put aside of the rows has been cut.");
    at += bytesRead;
  }
  return bytes;
}
