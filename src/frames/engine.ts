import { danfoEngine } from "./danfoEngine.js";
import type { DanfoFrame, FrameEngine } from "./frameEngine.js";
import type { PolarsFrame } from "./polars.js";
import { polarsEngine } from "./polarsEngine.js";

/** What frames of each engine are: the library's own objects. */
export interface FrameTypes {
  polars: PolarsFrame;
  danfo: DanfoFrame;
}

/** A dataframe library that results come in. */
export type Engine = keyof FrameTypes;

/** The engines by name, the default first. */
export const engines: { readonly [E in Engine]: FrameEngine<FrameTypes[E]> } = {
  polars: polarsEngine,
  danfo: danfoEngine,
};

/** The names of the engines. */
export const ENGINES = Object.keys(engines) as readonly Engine[];
