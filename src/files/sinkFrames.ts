import { isLargePage } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { hasCsvLines } from "../pages/lines.js";
import type { ScannedRows } from "../pages/rows.js";
import {
  type FormatOptions,
  type FrameWriter,
  type OpenWriter,
  type RowWriter,
  UnbuiltRows,
  type WriterTarget,
} from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import type { SaveFormat } from "./saveFormat.js";

/** Loaded on demand: most users of the package write few formats. */
const WRITERS: Readonly<Record<SaveFormat, () => Promise<OpenWriter>>> = {
  csv: async () => (await import("./writers/csvWriter.js")).csvWriter,
  json: async () => (await import("./writers/jsonWriter.js")).jsonWriter,
  jsonl: async () => (await import("./writers/jsonWriter.js")).jsonlWriter,
  xlsx: async () => (await import("./writers/xlsx/workbook.js")).xlsxWriter,
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

/** Which pages the writer of a format takes without a frame; undefined for none. */
export function takesRows({
  format,
  formatOptions,
  isRemote,
}: OutputPath): ((rows: ScannedRows) => boolean) | undefined {
  const { excelSafe, partitionBy } = formatOptions;
  if (format === "csv") return excelSafe === true ? undefined : hasCsvLines;
  return format === "parquet" && partitionBy === undefined && !isRemote ? isLargePage : undefined;
}

/** Columns and dtypes of a frame. */
export interface FrameSchema {
  readonly columns: readonly string[];
  readonly dtypes: PolarsFrame["dtypes"];
}

/**
 * Writes frames of one schema to a file; for a {@link RowWriter} also rows without a frame.
 *
 * @returns the schema; undefined if the columns or dtypes of a part differ. Then nothing is written, but all parts are
 *   consumed, so that the caller knows the final schema
 */
export async function sinkFrames(
  parts: AsyncIterable<PolarsFrame | UnbuiltRows>,
  open: () => Promise<FrameWriter>,
): Promise<FrameSchema | undefined> {
  let schema: string | undefined;
  let result: FrameSchema | undefined;
  let last: PolarsFrame | undefined;
  let writer: FrameWriter | undefined;
  try {
    for await (const part of parts) {
      if (schema !== undefined && writer === undefined) continue;
      const frame = part instanceof UnbuiltRows ? part.columns : part;
      // Consecutive rows without a frame share it.
      const next = frame === last ? schema : schemaOf(frame);
      last = frame;
      schema ??= next;
      result ??= { columns: frame.columns, dtypes: frame.dtypes };
      if (next !== schema) {
        await writer?.abort();
        writer = undefined;
        continue;
      }
      const isFirst = writer === undefined;
      writer ??= await open();
      if (isFirst || part === frame) await writer.write(frame);
      if (part instanceof UnbuiltRows) await (writer as RowWriter).writeRows(part.rows);
    }
    await writer?.end();
    return writer && result;
  } catch (error) {
    await writer?.abort();
    throw error;
  }
}

function schemaOf(frame: PolarsFrame): string {
  return JSON.stringify([frame.columns, frame.dtypes.map(String)]);
}
