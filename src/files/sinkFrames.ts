import type { PolarsFrame } from "../frames/polars.js";
import { type FormatOptions, type FrameWriter, type OpenWriter, schemaText, type WriterTarget } from "./frameWriter.js";
import type { SaveFormat } from "./saveFormat.js";

/** Loaded on demand: most users write few formats. */
const WRITERS: Readonly<Record<SaveFormat, () => Promise<OpenWriter>>> = {
  csv: async () => (await import("./writers/textWriters.js")).csvWriter,
  json: async () => (await import("./writers/textWriters.js")).jsonWriter,
  jsonl: async () => (await import("./writers/textWriters.js")).jsonlWriter,
  xlsx: async () => (await import("./writers/xlsx/workbook.js")).xlsxWriter,
  parquet: async () => (await import("./writers/columnarWriters.js")).parquetWriter,
  arrow: async () => (await import("./writers/columnarWriters.js")).arrowWriter,
};

export async function openWriter(
  target: WriterTarget,
  format: SaveFormat,
  formatOptions: FormatOptions,
): Promise<FrameWriter> {
  if (formatOptions.partitionBy !== undefined)
    return (await import("./writers/hiveWriter.js")).hiveWriter(target, formatOptions);
  const open = await WRITERS[format]();
  return open(target, formatOptions);
}

/**
 * Writes frames of one schema to a file.
 * @returns a frame with this schema; undefined if the frames have different columns or dtypes. Then nothing is written, but all frames
 *   are consumed, so that the caller knows the final schema
 */
export async function sinkFrames(
  frames: AsyncIterable<PolarsFrame>,
  open: () => Promise<FrameWriter>,
): Promise<PolarsFrame | undefined> {
  let schema: string | undefined;
  let result: PolarsFrame | undefined;
  let writer: FrameWriter | undefined;
  try {
    for await (const frame of frames) {
      if (schema !== undefined && writer === undefined) continue;
      const next = schemaText(frame);
      schema ??= next;
      result ??= frame.head(0);
      if (next !== schema) {
        await writer?.abort();
        writer = undefined;
        continue;
      }
      writer ??= await open();
      await writer.write(frame);
    }
    await writer?.end();
    return writer && result;
  } catch (error) {
    await writer?.abort();
    throw error;
  }
}
