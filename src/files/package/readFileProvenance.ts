import { basename } from "node:path";
import { warn } from "../../errors/warn.js";
import { followLinks } from "../../fs/followLinks.js";
import { inputFile } from "../../fs/readInputFile.js";
import { statOf } from "../../fs/statOf.js";
import { userPath } from "../../fs/userPath.js";
import { quoted } from "../../util/quoted.js";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, isFileProvenance, type PackagedProvenance } from "./fileProvenance.js";
import { type FileResource, fileContent } from "./fileResource.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

/**
 * Reads the provenance of a saved file from the `datapackage.json` next to it, or from the Parquet file itself. If the file has changed
 * since, returns undefined with the warning `FILE_CHANGED`.
 *
 * @param path a file, or the directory of a dataset
 * @returns undefined if it is unknown
 * @throws FileError if the file cannot be read
 * @example
 * (await readFileProvenance("climate.parquet"))?.verdict; //=> "complete"
 */
export async function readFileProvenance(path: string): Promise<FileProvenance | PackagedProvenance | undefined> {
  const given = userPath("path", path, "climate.parquet");
  const real = followLinks(given);
  const resource = findResource(given) ?? findResource(real);
  const isDirectory = statOf(real)?.isDirectory();
  if (!isDirectory) inputFile(real);
  const packaged = resource && packagedProvenanceOf(given, resource, await isUnchanged(real, resource));
  if (packaged !== undefined || isDirectory || !/\.(?:parquet|parq|pq)$/i.test(real)) return packaged;
  // Loads polars, which citing other files does not need.
  const { readMetadata } = await import("../../tables/readTable.js");
  return metadataProvenance(await readMetadata(real));
}

/** The provenance in a description; undefined, with a warning, if the file has changed. */
export function packagedProvenanceOf(
  path: string,
  { provenance }: FileResource,
  isSame: boolean,
): FileProvenance | PackagedProvenance | undefined {
  if (!isFileProvenance(provenance)) return undefined;
  if (isSame) return provenance;
  const text = `${quoted(basename(path))} has changed since datapackage.json described it, so its provenance is unknown.`;
  warn("FILE_CHANGED", text);
  return undefined;
}

/** The provenance in the metadata of a Parquet file. */
export function metadataProvenance(metadata: ReadonlyMap<string, string>): FileProvenance | undefined {
  try {
    const provenance: unknown = JSON.parse(metadata.get(PARQUET_KEY) ?? "null");
    return isFileProvenance(provenance) ? provenance : undefined;
  } catch {
    return undefined; // not our value
  }
}

/** Whether a file or dataset has the described size and hashes, as far as they are described. */
export async function isUnchanged(path: string, resource: FileResource): Promise<boolean> {
  const { bytes, hash, hashes } = await fileContent(path, basename(path));
  const isSame = (saved: unknown, found: unknown) => saved === undefined || String(saved) === String(found);
  return isSame(resource.bytes, bytes) && isSame(resource.hash, hash) && isSame(resource.hashes, hashes);
}
