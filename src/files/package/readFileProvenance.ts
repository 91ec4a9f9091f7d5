import { basename } from "node:path";
import { warn } from "../../errors/warn.js";
import { quoted } from "../../util/quoted.js";
import { checkedProvenance } from "./checkedProvenance.js";
import type { FileProvenance } from "./fileProvenance.js";
import type { FileResource } from "./fileResource.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

/** The provenance in the description of a file; undefined, with the warning `FILE_CHANGED`, if the file has changed since. */
export function describedProvenance(path: string, resource: FileResource, isSame: boolean): FileProvenance | undefined {
  const file = quoted(basename(path));
  const provenance = checkedProvenance(resource.provenance, file);
  if (provenance === undefined || isSame) return provenance;
  const text = `${file} has changed since datapackage.json described it, so its provenance is unknown.`;
  warn("FILE_CHANGED", text);
  return undefined;
}

/** The provenance in the metadata of a Parquet file. */
export function metadataProvenance(path: string, metadata: ReadonlyMap<string, string>): FileProvenance | undefined {
  let value: unknown;
  try {
    value = JSON.parse(metadata.get(PARQUET_KEY) ?? "null");
  } catch {
    value = "no JSON";
  }
  return checkedProvenance(value, quoted(basename(path)));
}
