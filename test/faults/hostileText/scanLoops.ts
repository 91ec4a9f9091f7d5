import { exprNode, inUtc } from "../../../src/frames/polarsPlan.js";
import { pl } from "../../../src/index.js";
import type { Loop } from "./loop.js";

export const scanLoops: readonly Loop[] = [
  {
    name: "an expression with a text",
    regexesOf: ["frames/polarsPlan.ts"],
    size: 100_000,
    run: (text) => {
      const expr = pl.col("text").eq(pl.lit(text));
      return [exprNode(expr), inUtc(expr.and(pl.col("date").gt(pl.lit(new Date(0)))))];
    },
  },
];
