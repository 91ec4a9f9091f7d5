import type { pl } from "nodejs-polars";

/** A polars DataFrame. */
export type PolarsFrame = pl.DataFrame;

/** A danfo DataFrame. */
// biome-ignore lint/suspicious/noTsIgnore: whether there is an error to expect depends on whether danfojs-node is installed
/** @ts-ignore danfojs-node is an optional peer: without it, its types are missing */
export type DanfoFrame = import("danfojs-node").DataFrame;

/** The frame type of each engine: the library's own objects. */
export interface FrameTypes {
  polars: PolarsFrame;
  danfo: DanfoFrame;
}

/** A dataframe library that results come in. */
export type Engine = keyof FrameTypes;
