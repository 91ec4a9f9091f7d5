import { open } from "node:fs/promises";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, isFileProvenance, type PackagedProvenance } from "./fileProvenance.js";

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
  return isFileProvenance(described) ? described : await parquetProvenance(path);
}

async function parquetProvenance(path: string): Promise<FileProvenance | undefined> {
  if (!/\.(parquet|pq)$/i.test(path)) return undefined;
  const file = await open(path);
  try {
    const { parquetMetadataAsync } = await import("hyparquet");
    const { size } = await file.stat();
    const slice = async (start: number, end = size) => {
      const bytes = new Uint8Array(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes.buffer;
    };
    const { key_value_metadata: notes = [] } = await parquetMetadataAsync({ byteLength: size, slice });
    const note = notes.find(({ key }) => key === PARQUET_KEY)?.value;
    const said: unknown = note && JSON.parse(note);
    return isFileProvenance(said) ? said : undefined;
  } catch {
    // No parquet file, or one that says nothing that can be read.
    return undefined;
  } finally {
    await file.close();
  }
}
