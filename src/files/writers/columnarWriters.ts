import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Frames, rebatched } from "../../frames/frameBatches.js";
import type { LazyFrame, PolarsFrame } from "../../frames/polars.js";
import { scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../../frames/polarsPlan.js";
import type { FrameWriter, WriterTarget } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";

/** Rows per temporary file, maximum rows in memory, and rows per batch of an Arrow file. */
const BATCH_ROWS = 16_384;

/**
 * How polars encodes Parquet files. Larger row groups take three times the memory. The same rows give the same bytes, regardless of how
 * they were split into frames.
 */
const PARQUET_OPTIONS = {
  compression: "zstd",
  statistics: true,
  rowGroupSize: 32_767,
  maintainOrder: true,
} as const;

/** Writes Parquet with zstd compression, statistics, and the provenance in the key-value metadata. */
export const writeParquet: FrameWriter = (frames, target) =>
  // polars encodes lists differently if they come from files with different numbers of rows.
  spilling(frames, target, async (paths) => {
    const sink = scanIpcFiles(paths).sinkParquet(target.path, PARQUET_OPTIONS);
    const json = target.provenanceJson?.();
    await sinkTo(target, json === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, json));
  });

/** Writes an Arrow IPC file, uncompressed and without string views, so that all readers accept it. */
export const writeArrow: FrameWriter = (frames, target) =>
  spilling(frames, target, async (paths) => {
    const sink = scanIpcFiles(paths).sinkIpc(target.path, { compression: "uncompressed", compatLevel: "oldest" });
    // By default polars makes batches of 122,880 rows and holds several of them in memory.
    await sinkTo(target, withIpcBatchSize(sink, BATCH_ROWS));
  });

/** Runs a sink of polars, which overwrites its file. */
async function sinkTo(target: WriterTarget, sink: LazyFrame): Promise<void> {
  await writeFile(target.path, "", { flag: "wx", mode: target.mode });
  await sink.collect();
}

/** Spills frames to temporary Arrow files, which polars memory-maps, so that the system can reclaim the memory. */
async function spilling(
  frames: Frames,
  { scratch }: WriterTarget,
  sink: (paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const paths: string[] = [];
  try {
    for await (const rows of rebatched(frames, BATCH_ROWS)) paths.push(await spillFrame(scratch, paths.length, rows));
    await sink(paths);
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

async function spillFrame(scratch: string, number: number, frame: PolarsFrame): Promise<string> {
  const path = join(scratch, `part-${number}.arrow`);
  await writeFile(path, frame.writeIPC(), { mode: 0o600 });
  return path;
}
