import { FileError } from "../../errors/index.js";
import type { FileProvenance } from "../../files/package/fileProvenance.js";
import { readFileProvenance } from "../../files/package/readFileProvenance.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { UnitRecord } from "./unitRecords.js";

/** The record of a finished unit, from its file. */
export async function readPartRecord(path: string): Promise<UnitRecord> {
  const provenance = (await readFileProvenance(path)) as (FileProvenance & { readonly requests?: unknown }) | undefined;
  const { retrieved = null, rows = 0, verdict = "", reason = null, requests } = provenance ?? {};
  if (retrieved === null || verdict === "" || typeof requests !== "number") {
    const hint = "Delete it, and call build again.";
    throw new FileError(`${path} was not written by a build of this corpus.`, { code: "FILE_ERROR", hint, path });
  }
  return { rows, verdict, reason, requests, retrieved };
}

/** The rows of a finished unit, at most `size` at a time. At least one frame. */
export async function* partFrames(path: string, size: number): AsyncGenerator<PolarsFrame, void, undefined> {
  for (let offset = 0; ; offset += size) {
    const frame = await pl.scanParquet(path).slice(offset, size).collect();
    if (offset === 0 || frame.height > 0) yield frame;
    if (frame.height < size) return;
  }
}
