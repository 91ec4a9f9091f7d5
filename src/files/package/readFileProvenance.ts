import { closeSync, fstatSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { FileError } from "../../errors/index.js";
import { openReceivedFile } from "../../fs/readReceivedFile.js";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, isFileProvenance, type PackagedProvenance } from "./fileProvenance.js";
import { parquetNotes } from "./parquetNotes.js";

/** The key of what a parquet file says of where its rows come from. */
export const PARQUET_KEY = "archive-frames";

/**
 * Where the rows of a saved file come from: from the `datapackage.json` beside it, or from a parquet file itself.
 *
 * @param path a file, or the folder of a dataset
 * @returns undefined where nothing is said of it
 * @throws FileError where the file cannot be read
 * @example
 * (await readFileProvenance("climate.parquet"))?.verdict; //=> "complete"
 */
export async function readFileProvenance(path: string): Promise<FileProvenance | PackagedProvenance | undefined> {
  const described = findResource(path)?.provenance;
  return isFileProvenance(described) ? described : parquetProvenance(path);
}

function parquetProvenance(path: string): FileProvenance | undefined {
  if (!/\.(parquet|pq)$/i.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const metadata = readMetadata(path);
  if (metadata === undefined) return undefined;
  try {
    const note = parquetNotes(metadata).get(PARQUET_KEY);
    const said: unknown = note && JSON.parse(note);
    return isFileProvenance(said) ? said : undefined;
  } catch {
    // No metadata of Parquet, or a note that is not ours.
    return undefined;
  }
}

const MAGIC = "PAR1";
/** The length of the metadata and the magic number, at the end of the file. */
const FOOTER_BYTES = 8;
/** Metadata grows with the row groups; that of a file of 100 million rows has a tenth of it. */
const MAX_METADATA_BYTES = 64 * 2 ** 20;

/** The metadata of a Parquet file; undefined where it is none. */
function readMetadata(path: string): Buffer | undefined {
  const file = open(path);
  try {
    const { size } = fstatSync(file);
    const footer = readAt(file, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES);
    if (footer.length < FOOTER_BYTES || footer.toString("latin1", 4) !== MAGIC) return undefined;
    const length = footer.readUInt32LE();
    if (length > size - FOOTER_BYTES || length > MAX_METADATA_BYTES) return undefined;
    return readAt(file, size - FOOTER_BYTES - length, length);
  } finally {
    closeSync(file);
  }
}

/** Opens what the path leads to: a regular file. */
function open(path: string): number {
  try {
    const real = realpathSync(path);
    return openReceivedFile(dirname(real), basename(real));
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    throw new FileError(`${path} cannot be read.`, { code: "FILE_ERROR", hint: "Check the path.", path, cause });
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
