import { withParquetMetadata } from "../../frames/polarsPlan.js";
import type { FormatOptions, OpenWriter, WriterTarget } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";
import { FrameSpill } from "./frameSpill.js";

/** Larger row groups take three times the memory, and polars does not accept a larger number here. */
const ROW_GROUP_ROWS = 32_767;

/** Writes Parquet with zstd compression and statistics. The path may be the URL of an object store: `s3://…`. */
export const parquetWriter: OpenWriter = (target, formatOptions) => {
  const spill = new FrameSpill(target.scratch);
  return {
    write: (frame) => spill.add(frame),
    end: () => sinkParquet(spill, target, formatOptions),
    abort: async () => undefined,
  };
};

/** Writes all spilled rows to a Parquet file, creating its directory, and removes the temporary files. */
export async function sinkParquet(
  spill: FrameSpill,
  { path, provenanceJson }: Pick<WriterTarget, "path" | "provenanceJson">,
  { cloudOptions }: FormatOptions,
): Promise<void> {
  const metadata = provenanceJson?.();
  // The plan is edited as JSON, so rows in memory must not be part of it.
  if (metadata !== undefined) await spill.flush();
  const rows = await spill.scan();
  const options = { compression: "zstd", statistics: true, rowGroupSize: ROW_GROUP_ROWS };
  const sink = rows.sinkParquet(path, cloudOptions === undefined ? options : { ...options, cloudOptions });
  await (metadata === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, metadata)).collect();
  await spill.remove();
}
