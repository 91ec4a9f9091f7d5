import { withIpcBatchSize } from "../../frames/polarsPlan.js";
import type { OpenWriter } from "../frameWriter.js";
import { FrameSpill } from "./frameSpill.js";

/** By default polars makes batches of 122,880 rows and holds several of them in memory. */
const BATCH_ROWS = 16_384;

/**
 * Writes an Arrow IPC file, uncompressed and without string views, so that all readers accept it. The path may be the URL of
 * an object store: `s3://…`.
 */
export const arrowWriter: OpenWriter = ({ path, scratch }, { cloudOptions }) => {
  const spill = new FrameSpill(scratch);
  return {
    write: (frame) => spill.add(frame),
    async end() {
      // The plan is edited as JSON, so rows in memory must not be part of it.
      await spill.flush();
      const rows = await spill.scan();
      const options = { compression: "uncompressed", compatLevel: "oldest" };
      const sink = rows.sinkIpc(path, cloudOptions === undefined ? options : { ...options, cloudOptions });
      await withIpcBatchSize(sink, BATCH_ROWS).collect();
      await spill.remove();
    },
    abort: async () => undefined,
  };
};
