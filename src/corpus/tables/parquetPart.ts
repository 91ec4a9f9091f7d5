import { randomUUID } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ParquetFile } from "../../files/parquet/parquetFile.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { weighed } from "../../frames/weighed.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { replaceFile } from "./replaceFile.js";

/** A month of mentions has about 2^26 bytes if it has 100,000 rows. */
const MAX_PART_BYTES = 2 ** 32;

/** How much larger rows are in memory than in a file, about. */
const UNPACKED = 5;

/** Frames on the way to a file, about, of the rows and of those it had: joined, sorted, renamed, in one chunk. */
const COPIES = 8;

/**
 * Writes a file of a table as a whole. Equal rows give equal bytes. Unfinished files are in `work`, where no reader of the
 * tables finds them.
 *
 * @throws FileError
 */
export async function writePart(dir: string, path: string, frame: PolarsFrame): Promise<void> {
  const scratch = join(dir, "work", `.${randomUUID()}.tables`);
  try {
    makeDirectory(scratch);
    const finished = join(scratch, "part.parquet");
    const file = new ParquetFile({ path: finished, scratch });
    try {
      await file.write(inOneChunk(frame));
      await file.end(new Map());
      weighed(frame, COPIES * UNPACKED * statSync(finished).size);
    } catch (error) {
      await file.abort();
      throw error;
    }
    replaceFile(finished, path);
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
  const bytes = readPartBytes(root, name);
  return weighed(pl.readParquet(bytes), UNPACKED * bytes.length);
}

/** The bytes of a file of a table, like {@link readPart}. */
export function readPartBytes(root: string, name: string): Buffer {
  return readReceivedFile(root, name, MAX_PART_BYTES);
}
