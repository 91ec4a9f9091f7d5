import type { FileLook, OpenWriter } from "../frameWriter.js";
import { FrameParts } from "./frameParts.js";

/** Larger groups take three times the memory, and more than this polars does not take. */
const ROW_GROUP = 32_767;

/** Parquet: zstd, with statistics. The path may be an address of an object store: `s3://…`. */
export const parquetWriter: OpenWriter = ({ path, scratch }, look) => {
  const parts = new FrameParts(scratch);
  return {
    write: (frame) => parts.add(frame),
    end: () => sinkParquet(parts, path, look),
    abort: async () => undefined,
  };
};

/** Makes a parquet file, and the folder for it, of all rows; removes what was put aside of them. */
export async function sinkParquet(parts: FrameParts, path: string, { cloudOptions }: FileLook): Promise<void> {
  const rows = await parts.scan();
  const options = { compression: "zstd", statistics: true, rowGroupSize: ROW_GROUP };
  await rows.sinkParquet(path, cloudOptions === undefined ? options : { ...options, cloudOptions }).collect();
  await parts.remove();
}
