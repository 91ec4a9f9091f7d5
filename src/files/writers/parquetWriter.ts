import { withParquetMetadata } from "../../frames/polarsPlan.js";
import type { FormatOptions, OpenWriter, WriterTarget } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";
import { FrameParts } from "./frameParts.js";

/** Larger groups take three times the memory, and more than this polars does not take. */
const ROW_GROUP = 32_767;

/** Parquet: zstd, with statistics. The path may be an address of an object store: `s3://…`. */
export const parquetWriter: OpenWriter = (target, formatOptions) => {
  const parts = new FrameParts(target.scratch);
  return {
    write: (frame) => parts.add(frame),
    end: () => sinkParquet(parts, target, formatOptions),
    abort: async () => undefined,
  };
};

/** Makes a parquet file, and the folder for it, of all rows; removes what was put aside of them. */
export async function sinkParquet(
  parts: FrameParts,
  { path, note }: Pick<WriterTarget, "path" | "note">,
  { cloudOptions }: FormatOptions,
): Promise<void> {
  const text = note?.();
  // A plan holds the rows that are in memory, and JSON is no way to hold them.
  if (text !== undefined) await parts.spill();
  const rows = await parts.scan();
  const options = { compression: "zstd", statistics: true, rowGroupSize: ROW_GROUP };
  const sink = rows.sinkParquet(path, cloudOptions === undefined ? options : { ...options, cloudOptions });
  await (text === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, text)).collect();
  await parts.remove();
}
