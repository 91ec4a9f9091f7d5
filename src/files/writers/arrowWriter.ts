import { withIpcBatchSize } from "../../frames/polarsPlan.js";
import type { OpenWriter } from "../frameWriter.js";
import { FrameParts } from "./frameParts.js";

/** Left to itself polars makes batches of 122,880 rows and holds several of them. */
const BATCH_ROWS = 16_384;

/**
 * Arrow (an IPC file), uncompressed and without string views, so that every reader takes it. The path may be an address of
 * an object store: `s3://…`.
 */
export const arrowWriter: OpenWriter = ({ path, scratch }, { cloudOptions }) => {
  const parts = new FrameParts(scratch);
  return {
    write: (frame) => parts.add(frame),
    async end() {
      // A plan holds the rows that are in memory, and JSON is no way to hold them.
      await parts.spill();
      const rows = await parts.scan();
      const options = { compression: "uncompressed", compatLevel: "oldest" };
      const sink = rows.sinkIpc(path, cloudOptions === undefined ? options : { ...options, cloudOptions });
      await withIpcBatchSize(sink, BATCH_ROWS).collect();
      await parts.remove();
    },
    abort: async () => undefined,
  };
};
