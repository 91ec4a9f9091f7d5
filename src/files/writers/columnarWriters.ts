import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { type Frames, rebatched } from "../../frames/frameBatches.js";
import type { LazyFrame, PolarsFrame } from "../../frames/polars.js";
import { scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../../frames/polarsPlan.js";
import { type FormatOptions, type FrameWriter, schemaText, type WriterTarget } from "../frameWriter.js";
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

/** Without string views, which older readers refuse. */
const ARROW_OPTIONS = { compression: "uncompressed", compatLevel: "oldest" } as const;

/**
 * Writes Parquet with zstd compression, statistics, and the provenance in the key-value metadata. The path may be the URL of an object
 * store: `s3://…`.
 */
export const writeParquet: FrameWriter = (frames, target, options) =>
  spilling(frames, target, (paths) => sinkParquet(paths, target, options));

/**
 * Writes an Arrow IPC file, uncompressed and without string views, so that all readers accept it. The path may be the URL of an object
 * store: `s3://…`.
 */
export const writeArrow: FrameWriter = (frames, target, { cloudOptions }) =>
  spilling(frames, target, async (paths) => {
    const sink = scanIpcFiles(paths).sinkIpc(target.path, { ...ARROW_OPTIONS, ...(cloudOptions && { cloudOptions }) });
    // By default polars makes batches of 122,880 rows and holds several of them in memory.
    await sinkTo(target, withIpcBatchSize(sink, BATCH_ROWS));
  });

/** @param paths temporary files with the same number of rows, because polars encodes lists differently if they come from different ones */
export async function sinkParquet(
  paths: readonly string[],
  target: WriterTarget,
  { cloudOptions }: FormatOptions,
): Promise<void> {
  const options = { ...PARQUET_OPTIONS, ...(cloudOptions && { cloudOptions }) };
  const sink = scanIpcFiles(paths).sinkParquet(target.path, options);
  const json = target.provenanceJson?.();
  await sinkTo(target, json === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, json));
}

/** Runs a sink of polars, which overwrites its file. */
async function sinkTo(target: WriterTarget, sink: LazyFrame): Promise<void> {
  if (!target.isRemote) await writeFile(target.path, "", { flag: "wx", mode: target.mode });
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

export async function spillFrame(scratch: string, number: number, frame: PolarsFrame): Promise<string> {
  const path = join(scratch, `part-${number}.arrow`);
  await writeFile(path, frame.writeIPC(), { mode: 0o600 });
  return path;
}

/** The start of every message, and the end of a stream: an empty message. */
const CONTINUATION = Buffer.from([255, 255, 255, 255]);
const END = Buffer.concat([CONTINUATION, Buffer.alloc(4)]);
/** Bytes before the stream in an Arrow file: `ARROW1` and padding. */
const MAGIC = 8;
/** The last bytes of an Arrow file: the size of the footer, and `ARROW1`. */
const TAIL = 10;

/**
 * Formats frames as an Arrow IPC stream as they arrive, uncompressed and without string views, so that all readers accept it. polars
 * writes streams only with string views, but an Arrow file contains a stream.
 */
export async function* arrowStream(frames: Frames, scratch: string): AsyncGenerator<Buffer> {
  const path = join(scratch, "batch.arrow");
  let schema: string | undefined;
  for await (const frame of frames) {
    await frame.lazy().sinkIpc(path, ARROW_OPTIONS).collect();
    const { head, batches } = messagesOf(await readFile(path));
    const next = schemaText(frame);
    if (schema === undefined) yield head;
    else if (next !== schema) throw widened();
    schema = next;
    if (frame.height > 0) yield batches;
  }
  yield END;
}

function messagesOf(file: Buffer): { head: Buffer; batches: Buffer } {
  const footer = file.length - TAIL - file.readInt32LE(file.length - TAIL);
  const start = MAGIC + CONTINUATION.length + 4 + file.readInt32LE(MAGIC + CONTINUATION.length);
  return { head: file.subarray(MAGIC, start), batches: file.subarray(start, footer - END.length) };
}

function widened(): ArchiveError {
  return new ArchiveError("a later page has other columns or types than the rows that were written.", {
    code: "COLUMN_WIDENED",
    hint: 'Use format: "arrow", which is written after all rows have arrived.',
  });
}
