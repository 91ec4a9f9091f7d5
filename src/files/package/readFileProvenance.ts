import { closeSync, fstatSync, statSync } from "node:fs";
import { readBytes } from "../../fs/fileBytes.js";
import { followLinks } from "../../fs/followLinks.js";
import { openInputFile } from "../../fs/readInputFile.js";
import { userPath } from "../../fs/userPath.js";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, isFileProvenance, type PackagedProvenance } from "./fileProvenance.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

/**
 * Reads the provenance of a saved file from the `datapackage.json` next to it, or from the Parquet file itself.
 *
 * @param path a file, or the directory of a dataset
 * @returns undefined if it is unknown
 * @throws FileError if the file cannot be read
 * @example
 * (await readFileProvenance("climate.parquet"))?.verdict; //=> "complete"
 */
export async function readFileProvenance(path: string): Promise<FileProvenance | PackagedProvenance | undefined> {
  const real = followLinks(userPath("path", path, "climate.parquet"));
  const packaged = (findResource(path) ?? findResource(real))?.provenance;
  return isFileProvenance(packaged) ? packaged : parquetProvenance(real);
}

function parquetProvenance(path: string): FileProvenance | undefined {
  if (!/\.(parquet|pq)$/i.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const file = openInputFile(path);
  try {
    const json = ourMetadata(file);
    const provenance: unknown = json && JSON.parse(json);
    return isFileProvenance(provenance) ? provenance : undefined;
  } catch {
    // A value that is not ours.
    return undefined;
  } finally {
    closeSync(file);
  }
}

const MAGIC = "PAR1";
/** A Parquet file ends with the length of the metadata and the magic number. */
const FOOTER_BYTES = 8;
/** Metadata grows with the number of row groups. This is ten times that of a file with 100 million rows. */
const MAX_METADATA_BYTES = 64 * 2 ** 20;
/** The beginning of our entry in the key-value metadata, in Thrift's compact protocol: the key, and a value of type binary. */
const ENTRY = Buffer.from(`\x18${String.fromCharCode(PARQUET_KEY.length)}${PARQUET_KEY}\x18`);

/**
 * The value of our key in the metadata of a Parquet file; undefined if it is not there. The file may be hostile: nothing but
 * the bytes after the key is interpreted.
 */
export function ourMetadata(file: number): string | undefined {
  const { size } = fstatSync(file);
  const footer = readBytes(file, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES);
  if (footer.length < FOOTER_BYTES || footer.toString("latin1", 4) !== MAGIC) return undefined;
  const metadataLength = footer.readUInt32LE();
  if (metadataLength > size - FOOTER_BYTES || metadataLength > MAX_METADATA_BYTES) return undefined;
  const metadata = readBytes(file, size - FOOTER_BYTES - metadataLength, metadataLength);
  // The last one: the statistics of columns, which may contain anything, come before the key-value metadata.
  const entry = metadata.lastIndexOf(ENTRY);
  if (entry < 0) return undefined;
  let at = entry + ENTRY.length;
  let length = 0;
  for (let factor = 1; at < metadata.length; factor *= 0x80) {
    const byte = metadata[at++] as number;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) break;
  }
  return at + length <= metadata.length ? metadata.toString("utf8", at, at + length) : undefined;
}
