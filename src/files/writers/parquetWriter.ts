import type { FormatOptions, FrameWriter, RowWriter, WriterTarget } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";
import { ParquetFile } from "../parquet/parquetFile.js";
import { remoteParquetWriter } from "./remoteParquetWriter.js";

/** Writes Parquet with zstd compression, statistics, and the provenance in its key-value metadata. */
export function parquetWriter(target: WriterTarget, formatOptions: FormatOptions): FrameWriter | RowWriter {
  if (target.isRemote) return remoteParquetWriter(target, formatOptions);
  const file = new ParquetFile(target);
  return {
    write: (frame) => file.write(frame),
    writeRows: (rows) => file.writeRows(rows),
    end: () => file.end(parquetMetadata(target)),
    abort: () => file.abort(),
  };
}

/** The key-value metadata of a file. */
export function parquetMetadata({ provenanceJson }: Pick<WriterTarget, "provenanceJson">): ReadonlyMap<string, string> {
  const json = provenanceJson?.();
  return new Map(json === undefined ? [] : [[PARQUET_KEY, json]]);
}
