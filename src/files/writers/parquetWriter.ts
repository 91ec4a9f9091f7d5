import { scanIpcFiles, withParquetMetadata } from "../../frames/polarsPlan.js";
import { createFile } from "../bufferedFile.js";
import type { FormatOptions, FrameWriter, WriterTarget } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";
import { FrameSpill } from "./frameSpill.js";

/**
 * How polars encodes Parquet files. Larger row groups take three times the memory, and polars does not accept a larger number.
 * The same rows give the same bytes, however they were split into frames.
 */
export const PARQUET_OPTIONS = {
  compression: "zstd",
  statistics: true,
  rowGroupSize: 32_767,
  maintainOrder: true,
} as const;

/**
 * Writes Parquet with zstd compression, statistics, and the provenance in its key-value metadata. The path may be the URL of
 * an object store: `s3://…`.
 */
export function parquetWriter(target: WriterTarget, formatOptions: FormatOptions): FrameWriter {
  const spill = new FrameSpill(target.scratch);
  return {
    write: (frame) => spill.add(frame),
    async end() {
      await sinkParquet(await spill.end(), target, formatOptions);
      await spill.remove();
    },
    abort: () => spill.remove(),
  };
}

/** Writes the rows of temporary Arrow files to a Parquet file. */
export async function sinkParquet(
  paths: readonly string[],
  { path, mode, isRemote, provenanceJson }: WriterTarget,
  { cloudOptions }: FormatOptions,
): Promise<void> {
  const sink = scanIpcFiles(paths).sinkParquet(path, { ...PARQUET_OPTIONS, ...(cloudOptions && { cloudOptions }) });
  const json = provenanceJson?.();
  if (!isRemote) createFile(path, mode);
  await (json === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, json)).collect();
}
