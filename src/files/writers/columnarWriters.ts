import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
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

/** The end of a stream. */
const END = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]);

/** Formats frames as an Arrow IPC stream as they arrive, uncompressed and without string views, so that all readers accept it. */
export async function* arrowStream(frames: Frames): AsyncGenerator<Buffer> {
  let schema: Buffer | undefined;
  for await (const frame of frames) {
    const stream = frame.rechunk().writeIPCStream();
    const next = stream.subarray(0, 8 + stream.readInt32LE(4));
    if (schema === undefined) yield next;
    else if (!next.equals(schema)) throw widened();
    schema = next;
    if (frame.height > 0) yield stream.subarray(next.length, stream.length - END.length);
  }
  yield END;
}

function widened(): ArchiveError {
  return new ArchiveError("a later page has other columns or types than the rows that were written.", {
    code: "COLUMN_WIDENED",
    hint: 'Use format: "arrow", which is written after all rows have arrived.',
  });
}
