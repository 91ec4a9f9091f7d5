import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../../frames/polarsPlan.js";
import { type ByteSink, createFile, writing } from "../bufferedFile.js";
import {
  type FormatOptions,
  type FrameWriter,
  type OpenWriter,
  schemaText,
  type WriterTarget,
} from "../frameWriter.js";
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

/**
 * Writes Parquet with zstd compression, statistics, and the provenance in the key-value metadata. The path may be the URL of an object
 * store: `s3://…`.
 */
export const parquetWriter: OpenWriter = (target, formatOptions) =>
  spilling(target, (paths) => sinkParquet(paths, target, formatOptions));

/**
 * Writes an Arrow IPC file, uncompressed and without string views, so that all readers accept it. The path may be the URL of an object
 * store: `s3://…`.
 */
export const arrowWriter: OpenWriter = (target, { cloudOptions }) =>
  spilling(target, async (paths) => {
    const options = { compression: "uncompressed", compatLevel: "oldest", ...(cloudOptions && { cloudOptions }) };
    const sink = scanIpcFiles(paths).sinkIpc(target.path, options);
    if (!target.isRemote) createFile(target);
    // By default polars makes batches of 122,880 rows and holds several of them in memory.
    await withIpcBatchSize(sink, BATCH_ROWS).collect();
  });

export async function sinkParquet(
  paths: readonly string[],
  target: WriterTarget,
  { cloudOptions }: FormatOptions,
): Promise<void> {
  const options = { ...PARQUET_OPTIONS, ...(cloudOptions && { cloudOptions }) };
  const sink = scanIpcFiles(paths).sinkParquet(target.path, options);
  const json = target.provenanceJson?.();
  if (!target.isRemote) createFile(target);
  await (json === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, json)).collect();
}

/** Spills frames to temporary Arrow files, which polars memory-maps, so that the system can reclaim the memory. */
function spilling({ scratch }: WriterTarget, sink: (paths: readonly string[]) => Promise<void>): FrameWriter {
  const paths: string[] = [];
  let frames: PolarsFrame[] = [];
  let height = 0;
  const spill = async (rows: PolarsFrame): Promise<void> => {
    paths.push(await spillFrame(scratch, paths.length, rows));
  };
  const abort = async (): Promise<void> => {
    for (const path of paths.splice(0)) await rm(path, { force: true });
  };
  return {
    async write(frame) {
      frames.push(frame);
      height += frame.height;
      if (height < BATCH_ROWS) return;
      // All files have the same number of rows, because polars encodes lists differently if they come from different files.
      const rows = concatRows(frames);
      height %= BATCH_ROWS;
      const whole = rows.height - height;
      for (let at = 0; at < whole; at += BATCH_ROWS) await spill(rows.slice(at, BATCH_ROWS));
      frames = height === 0 ? [] : [rows.tail(height)];
    },
    async end() {
      if (height > 0 || paths.length === 0) await spill(concatRows(frames));
      await sink(paths);
      await abort();
    },
    abort,
  };
}

/** Joins frames whose common columns have the same types. */
export function concatRows(frames: readonly PolarsFrame[]): PolarsFrame {
  // "vertical" takes quadratic time.
  return frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat([...frames], { how: "diagonal" });
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
 * Writes frames as an Arrow IPC stream as they arrive, uncompressed and without string views, so that all readers accept it. polars
 * writes streams only with string views, but an Arrow file contains a stream.
 */
export function streamArrow(frames: AsyncIterable<PolarsFrame>, sink: ByteSink, scratch: string): Promise<void> {
  const path = join(scratch, "batch.arrow");
  return writing(sink, async () => {
    let schema: string | undefined;
    for await (const frame of frames) {
      await frame.lazy().sinkIpc(path, { compression: "uncompressed", compatLevel: "oldest" }).collect();
      const { head, batches } = messagesOf(await readFile(path));
      const next = schemaText(frame);
      if (schema === undefined) await sink.write(head);
      else if (next !== schema) throw widened();
      schema = next;
      if (frame.height > 0) await sink.write(batches);
    }
    await sink.write(END);
  });
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
