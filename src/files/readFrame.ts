import { basename } from "node:path";
import { checkedOptions } from "../errors/validators.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { userPath } from "../fs/userPath.js";
import { readTable } from "../tables/readTable.js";
import { findResource } from "./package/dataPackage.js";
import { provenanceOfFile } from "./package/fileProvenance.js";
import { metadataProvenance, packagedProvenanceOf } from "./package/readFileProvenance.js";

/** Options of {@link readFrame}. */
export interface ReadFrameOptions {
  /** The encoding of a text file that is neither UTF-8 nor has a byte-order mark, for example `"windows-1252"`. */
  encoding?: string | undefined;
}

/**
 * Reads a file as a polars frame. One that this package saved has its provenance again: the search, the verdict, and the steps that led to
 * it, unless the file was changed since (warning `FILE_CHANGED`).
 *
 * Columns have the dtypes that `datapackage.json` describes. Without it, a column of CSV has a type if the values of all rows have it:
 * numbers, booleans, dates and timestamps in ISO 8601 (UTC if they have no zone); anything else is text, as are numbers with a leading zero.
 * No value becomes null; lines of empty cells are no rows. A file is read with semicolons, tabs or bars, too, in UTF-8 or UTF-16, and
 * compressed (`.csv.gz`).
 *
 * @param path a file that ends with `.csv`, `.tsv`, `.txt`, `.json`, `.jsonl`, `.parquet` or `.arrow`, of this package or of others
 * @param options see {@link ReadFrameOptions}
 * @returns the frame, without provenance if the file has none. Nested values are as in `toDataFrame`; decimals are Float64, or text if that
 *   would not be exact; UUIDs and intervals are text
 * @throws ValidationError for other formats; FileError if the file cannot be read, which names the line or the column
 * @example
 * await saveFrame(frame, "climate.parquet");
 * const again = await readFrame("climate.parquet");
 * provenanceOf(again)?.parameters.query; //=> "climate"
 */
export async function readFrame(path: string, options: ReadFrameOptions = {}): Promise<PolarsFrame> {
  const real = userPath("path", path, "climate.parquet");
  const { encoding } = checkedOptions<ReadFrameOptions>(options, ["encoding"], "option of readFrame");
  const resource = findResource(real);
  const { hash, bytes, schema } = resource ?? {};
  const described = resource && { ...(hash && { hash, bytes }), fields: schema?.fields };
  const { frame, isDescribed, metadata } = await readTable(real, { encoding, ...(described && { described }) });
  const saved = resource ? packagedProvenanceOf(real, resource, isDescribed) : metadataProvenance(metadata);
  const step = stepOf("readFrame", "order", [{ file: basename(real) }]);
  return setProvenance(frame, saved && derived(provenanceOfFile(saved), step));
}
