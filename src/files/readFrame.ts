import { basename } from "node:path";
import { checkedOptions } from "../errors/validators.js";
import { deriveProvenance } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { userPath } from "../fs/paths.js";
import { readTable } from "../tables/readTable.js";
import { findResource } from "./package/dataPackage.js";
import { metadataProvenance, provenanceOfFile, resourceProvenance } from "./package/fileProvenance.js";

/** Options of {@link readFrame}. */
export interface ReadFrameOptions {
  /** The encoding of a text file without a byte order mark: `"windows-1252"`. Default: UTF-8. */
  encoding?: string | undefined;
}

/**
 * Reads a file as a polars frame. A file saved by this package keeps its provenance, unless it has changed since (warning `FILE_CHANGED`).
 *
 * Columns have the dtypes described in `datapackage.json`. Otherwise a CSV column has a type only if all of its values have it: numbers,
 * booleans, dates and ISO 8601 timestamps (UTC if they have no zone); anything else is text, as are numbers with a leading zero. A line
 * with more or fewer fields than the header is an error. CSV may use semicolons, tabs or bars, UTF-16, or gzip (`.csv.gz`). Objects and
 * structs become JSON text.
 *
 * @param path a `.csv`, `.tsv`, `.txt`, `.json`, `.jsonl` or `.parquet` file, saved by any program; or an `.arrow` file that this package
 * saved, with its `datapackage.json`
 * @returns the frame. Decimals are Float64, or text if that would not be exact; UUIDs, intervals and binary values are text
 * @throws ArchiveError if the file cannot be read, with the line if it is CSV
 * @example
 * await saveFrame(frame, "climate.parquet");
 * const again = await readFrame("climate.parquet");
 * provenanceOf(again)?.parameters.query; //=> "climate"
 */
export async function readFrame(path: string, options: ReadFrameOptions = {}): Promise<PolarsFrame> {
  const expandedPath = userPath("path", path, "climate.parquet");
  const { encoding } = checkedOptions<ReadFrameOptions>(options, ["encoding"], "option of readFrame");
  const resource = findResource(expandedPath);
  const { frame, matchesDescription, metadata } = await readTable(expandedPath, { encoding, description: resource });
  const provenance = resource?.provenance
    ? resourceProvenance(expandedPath, resource, matchesDescription)
    : metadataProvenance(expandedPath, metadata);
  const rows = [frame.height, frame.height] as const;
  const step = { verb: "readFrame", text: `saved and read from ${basename(expandedPath)}`, rows };
  return setProvenance(frame, provenance && deriveProvenance(provenanceOfFile(provenance), step));
}
