import type { Frames } from "../frames/frameBatches.js";
import type { PolarsFrame } from "../frames/polars.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { FormatOptions, FrameWriter, WriterTarget } from "./frameWriter.js";
import { fileProvenance } from "./package/fileProvenance.js";
import { type TableSchema, tableSchema } from "./package/tableSchema.js";
import type { SaveFormat } from "./saveFormat.js";
import type { StagingDirectory } from "./stagingDirectory.js";

/** Loaded on demand: most users write few formats. */
const WRITERS: Readonly<Record<SaveFormat, () => Promise<FrameWriter>>> = {
  csv: async () => (await import("./writers/textWriters.js")).writeCsv,
  json: async () => (await import("./writers/textWriters.js")).writeJson,
  jsonl: async () => (await import("./writers/textWriters.js")).writeJsonl,
  xlsx: async () => (await import("./writers/xlsx.js")).writeXlsx,
  parquet: async () => (await import("./writers/columnarWriters.js")).writeParquet,
  arrow: async () => (await import("./writers/columnarWriters.js")).writeArrow,
};

export async function writeFrames(
  frames: Frames,
  target: WriterTarget,
  format: SaveFormat,
  formatOptions: FormatOptions,
): Promise<void> {
  const write = await WRITERS[format]();
  await write(frames, target, formatOptions);
}

const SCHEMA_CHANGED = new Error("The frames differ in columns or types.");

/**
 * Writes frames of one schema to a file.
 * @param provenance called after the last row
 * @returns their schema; undefined if the frames have different columns or dtypes. Then the file is useless, but all frames are
 *   consumed, so that the caller knows the final schema
 */
export async function sinkFrames(
  frames: Frames,
  staging: StagingDirectory,
  provenance: () => Provenance | undefined,
): Promise<TableSchema | undefined> {
  const { format, formatOptions } = staging.output;
  let schema: TableSchema | undefined;
  async function* uniform(): AsyncGenerator<PolarsFrame> {
    let [first, isUniform] = ["", true];
    for await (const frame of frames) {
      schema ??= tableSchema(frame, format);
      first ||= schemaText(frame);
      isUniform &&= schemaText(frame) === first;
      if (isUniform) yield frame;
    }
    if (!isUniform) throw SCHEMA_CHANGED;
  }
  const provenanceJson = () => {
    const known = provenance();
    return known && JSON.stringify(fileProvenance(known));
  };
  try {
    await writeFrames(uniform(), { ...staging.writerTarget(), provenanceJson }, format, formatOptions);
    return schema;
  } catch (error) {
    if (error !== SCHEMA_CHANGED) throw error;
    return undefined;
  }
}

/** The columns and dtypes of a frame as text, for comparison. */
function schemaText({ columns, dtypes }: PolarsFrame): string {
  return JSON.stringify([columns, dtypes.map(String)]);
}
