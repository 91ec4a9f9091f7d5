import { createRequire } from "node:module";
import type { pl as Polars } from "nodejs-polars";
import { ArchiveError } from "../errors/index.js";
import { guardPolars } from "./otherPolars.js";
import { interceptVerbs } from "./polarsVerbs.js";

export type { PolarsFrame } from "../util/frameTypes.js";

/**
 * nodejs-polars, re-exported so that a notebook loads a single copy.
 *
 * @example
 * import { pl } from "archive-frames";
 * pl.DataFrame({ a: [1, 2] }).height; //=> 2
 */
export const pl: typeof Polars = load();

/** The type names of polars, so that `pl.DataFrame` is a type as well as a constructor. */
export declare namespace pl {
  type DataFrame = Polars.DataFrame;
  type LazyDataFrame = Polars.LazyDataFrame;
  type Series = Polars.Series;
  type Expr = Polars.Expr;
}

/** A polars lazy frame. */
export type LazyFrame = Polars.LazyDataFrame;

/** A polars expression. */
export type PolarsExpr = Polars.Expr;

function load(): typeof Polars {
  try {
    // A static import would fail with an error that does not say how to install the library.
    const require = createRequire(import.meta.url);
    const polars = (require("nodejs-polars") as { default: typeof Polars }).default;
    interceptVerbs(require, polars);
    guardPolars(require);
    fixBooleanSum(require);
    return polars;
  } catch (cause) {
    throw new ArchiveError(
      "nodejs-polars cannot be loaded: its native package is missing or does not fit this machine.",
      {
        code: "ENGINE_MISSING",
        hint: "Delete node_modules and package-lock.json, then type: npm install nodejs-polars@0.24.1 --include=optional",
        cause,
      },
    );
  }
}

/** Makes the sum of a mask the number of true values, as in polars. In nodejs-polars it is whether any is true. */
function fixBooleanSum(require: NodeJS.Require): void {
  type Series = { readonly dtype: string; cast(dtype: unknown): Series; sum(): unknown };
  const { JsSeries } = require("nodejs-polars/bin/native-polars.js") as { readonly JsSeries: { prototype: Series } };
  const { sum } = JsSeries.prototype;
  JsSeries.prototype.sum = function (this: Series) {
    return sum.call(this.dtype === "Bool" ? this.cast(pl.Int64) : this);
  };
}
