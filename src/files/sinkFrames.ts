import type { PolarsFrame } from "../frames/polars.js";
import type { FormatOptions, FrameWriter, OpenWriter, WriterTarget } from "./frameWriter.js";
import type { SaveFormat } from "./saveFormat.js";

/** Each is loaded when it is needed: whoever imports the package may write no file. */
const WRITERS: Readonly<Record<SaveFormat, () => Promise<OpenWriter>>> = {
  csv: async () => (await import("./writers/csvWriter.js")).csvWriter,
  json: async () => (await import("./writers/jsonWriter.js")).jsonWriter,
  jsonl: async () => (await import("./writers/jsonlWriter.js")).jsonlWriter,
  xlsx: async () => (await import("./writers/xlsxWriter.js")).xlsxWriter,
  parquet: async () => (await import("./writers/parquetWriter.js")).parquetWriter,
  arrow: async () => (await import("./writers/arrowWriter.js")).arrowWriter,
};

/** Opens the writer of a format. */
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

/** The columns of frames, and what they hold. */
export interface FrameSchema {
  readonly columns: readonly string[];
  readonly dtypes: PolarsFrame["dtypes"];
}

/**
 * Writes frames to a file as long as they are of one schema.
 *
 * @returns the schema; undefined where a frame had other columns or dtypes: nothing is written then, and all frames have still
 *   been taken
 */
export async function sinkFrames(
  frames: AsyncIterable<PolarsFrame>,
  open: () => Promise<FrameWriter>,
): Promise<FrameSchema | undefined> {
  let schema: string | undefined;
  let first: FrameSchema | undefined;
  let writer: FrameWriter | undefined;
  try {
    for await (const frame of frames) {
      if (schema !== undefined && writer === undefined) continue;
      const own = schemaOf(frame);
      schema ??= own;
      first ??= { columns: frame.columns, dtypes: frame.dtypes };
      if (own !== schema) {
        await writer?.abort();
        writer = undefined;
        continue;
      }
      writer ??= await open();
      await writer.write(frame);
    }
    await writer?.end();
    return writer && first;
  } catch (error) {
    await writer?.abort();
    throw error;
  }
}

function schemaOf(frame: PolarsFrame): string {
  return JSON.stringify([frame.columns, frame.dtypes.map(String)]);
}
