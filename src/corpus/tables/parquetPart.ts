import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PARQUET_OPTIONS } from "../../files/writers/columnarWriters.js";
import { weighed } from "../../frames/chunk.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { placeInside } from "../raw/storage.js";
import { parquetFile } from "./parquetFile.js";

/** A month of mentions has about 2^26 bytes if it has 100,000 rows. */
export const MAX_PART_BYTES = 2 ** 32;

/** How much larger text is in memory than in a file, about. */
const UNPACKED = 5;

/** Bytes of a cell in memory besides its text, about. */
const CELL = 16;

/** Frames on the way to a file, about, of the rows and of those it had: joined, sorted, renamed, in one chunk. */
export const COPIES = 8;

/**
 * Writes a file of a table as a whole. Equal rows give equal bytes, and replace nothing. Unfinished files are in `work`, where no reader of the
 * tables finds them.
 *
 * @throws FileError
 */
export async function writePart(dir: string, name: string, frame: PolarsFrame): Promise<void> {
  const scratch = join(dir, "work", `.${randomUUID()}.tables`);
  const path = join(dir, name);
  try {
    makeDirectory(scratch);
    const finished = join(scratch, "part.parquet");
    await inOneChunk(frame)
      .lazy()
      .sinkParquet(finished, { ...PARQUET_OPTIONS })
      .collect();
    weighed(frame, COPIES * sizeOf(frame, statSync(finished).size));
    const isSame = existsSync(path) && readFileSync(path).equals(readFileSync(finished));
    if (!isSame) renameSync(finished, placeInside(dir, name));
  } catch (error) {
    throw toFileError(error, path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The chunks of a column would show in the file. */
function inOneChunk(frame: PolarsFrame): PolarsFrame {
  const result = numberedColumns(frame).rechunk();
  result.columns = frame.columns;
  return result;
}

/**
 * Reads a file of a table.
 *
 * @param root a directory that somebody else may have created
 * @param name the path below it, separated by `/`
 * @throws FileError for a link or a special file; the system error if there is none (`ENOENT`)
 */
export function readPart(root: string, name: string): PolarsFrame {
  parquetFile(root, name);
  const bytes = readReceivedFile(root, name, MAX_PART_BYTES);
  const frame = pl.readParquet(bytes);
  return weighed(frame, sizeOf(frame, bytes.length));
}

/** Bytes of a frame in memory, about. Rows that resemble each other are much smaller in a file. */
export function sizeOf({ height, width }: PolarsFrame, bytesOfFile: number): number {
  return height * width * CELL + UNPACKED * bytesOfFile;
}
