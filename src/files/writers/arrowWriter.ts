import { scanIpcFiles, withIpcBatchSize } from "../../frames/polarsPlan.js";
import { createFile } from "../bufferedFile.js";
import type { OpenWriter } from "../frameWriter.js";
import { FrameSpill } from "./frameSpill.js";

/** By default polars makes batches of 122,880 rows and holds several of them in memory. */
const BATCH_ROWS = 16_384;

/**
 * Writes an Arrow IPC file, uncompressed and without string views, so that all readers accept it. The path may be the URL of
 * an object store: `s3://…`.
 */
export const arrowWriter: OpenWriter = ({ path, mode, isRemote, scratch }, { cloudOptions }) => {
  const spill = new FrameSpill(scratch);
  return {
    write: (frame) => spill.add(frame),
    async end() {
      const options = { compression: "uncompressed", compatLevel: "oldest", ...(cloudOptions && { cloudOptions }) };
      const sink = scanIpcFiles(await spill.end()).sinkIpc(path, options);
      if (!isRemote) createFile(path, mode);
      await withIpcBatchSize(sink, BATCH_ROWS).collect();
      await spill.remove();
    },
    abort: () => spill.remove(),
  };
};
