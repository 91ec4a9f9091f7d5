import type { Engine, FrameTypes } from "../util/frameTypes.js";
import { danfoEngine } from "./danfoEngine.js";
import type { FrameEngine } from "./frameEngine.js";
import { polarsEngine } from "./polarsEngine.js";

export type { Engine, FrameTypes } from "../util/frameTypes.js";

/** The engines by name; the default comes first. */
export const engines: { readonly [E in Engine]: FrameEngine<FrameTypes[E]> } = {
  polars: polarsEngine,
  danfo: danfoEngine,
};

/** The names of the engines. */
export const ENGINES = Object.keys(engines) as readonly Engine[];
