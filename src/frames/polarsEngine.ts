import type { FrameEngine } from "./frameEngine.js";
import { type PolarsFrame, pl } from "./polars.js";

/** The frames of nodejs-polars. */
export const polarsEngine: FrameEngine<PolarsFrame> = {
  load: () => undefined,
  fromPolars: (frame) => frame,
  isFrame: (value): value is PolarsFrame => pl.DataFrame.isDataFrame(value),
  toRecords: (frame) => frame.toRecords() as Record<string, unknown>[],
};
