// biome-ignore-all lint/suspicious/noTsIgnore: ts-expect-error would fail wherever danfojs-node is installed
import type { pl } from "nodejs-polars";

/** A polars DataFrame. */
export type PolarsFrame = pl.DataFrame;

/**
 * A danfo DataFrame. Without danfojs-node, an optional peer, the type is `any`.
 * @ts-ignore danfojs-node may be missing */
export type DanfoFrame = import("danfojs-node").DataFrame;

/** The frame type of each engine: the library's own objects. */
export interface FrameTypes extends Record<Engine, unknown> {
  /** A `DataFrame` of nodejs-polars. */
  polars: PolarsFrame;
  /** A `DataFrame` of danfojs-node. */
  danfo: DanfoFrame;
}

/** The dataframe library of a result. */
export type Engine = "polars" | "danfo";

/**
 * An option that determines the type of a result. For a plain optional member, TypeScript infers `T` without `undefined`; with this
 * type, `T` includes `undefined` if the value may be undefined.
 */
export type DecidingOption<O, T> = undefined extends T
  ? { readonly [K in keyof O]?: T | O[K] }
  : { readonly [K in keyof O]-?: T };

/** The type of an option whose default replaces `undefined`. */
export type OrDefault<T, Default> = T extends undefined ? Default : T;
