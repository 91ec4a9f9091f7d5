import { withParquetMetadata } from "../../frames/polarsPlan.js";
import type { OpenWriter } from "../frameWriter.js";
import { PARQUET_KEY } from "../package/readFileProvenance.js";
import { PARQUET_OPTIONS } from "../parquet/parquetFile.js";
import { FrameSpill } from "./frameSpill.js";

/** Writes Parquet to an object store (`s3://…`), to which polars uploads all rows in the end. */
export const remoteParquetWriter: OpenWriter = ({ path, scratch, provenanceJson }, { cloudOptions }) => {
  const spill = new FrameSpill(scratch);
  return {
    write: (frame) => spill.add(frame),
    async end() {
      const metadata = provenanceJson?.();
      // The plan is edited as JSON, so rows in memory must not be part of it.
      if (metadata !== undefined) await spill.flush();
      const rows = await spill.scan();
      const sink = rows.sinkParquet(path, { ...PARQUET_OPTIONS, ...(cloudOptions && { cloudOptions }) });
      await (metadata === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, metadata)).collect();
      await spill.remove();
    },
    abort: async () => undefined,
  };
};
