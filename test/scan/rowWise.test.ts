import { describe, expect, it } from "vitest";
import { ArchiveClient, type PolarsExpr, pl } from "../../src/index.js";
import { LONG } from "../scale.js";

const scan = new ArchiveClient({ apiKey: "k".repeat(40) }).scan.mentions("x");
const a = pl.col("a");
const b = pl.col("b");

/** Whether a verb with an expression runs page by page. */
const isByPage = (expr: PolarsExpr) => scan.withColumns(expr).explain().includes("\n  by page    ");

describe("verbs run page by page", () => {
  it("for expressions known to work row by row, and no others", () => {
    const rowWise = [
      a.eq(b),
      a.gt(5).and(b.isNull()).not(),
      a.isIn([1, 2]),
      a.isIn(["x"]),
      a.fillNull(b),
      a.fillNull(0),
      a.cast(pl.Utf8),
      a.str.contains("x"),
      a.str.replaceAll("a", "b"),
      a.str.slice(0, 3),
      a.str.strptime(pl.Date, "%Y"),
      a.date.year(),
      a.date.strftime("%Y"),
      pl.when(a.gt(1)).then(b).otherwise(pl.lit(null)),
      a.abs().round(2).alias("q"),
      a.suffix("_x"),
      pl.concatString([a, b], "-"),
      a.clip(1, 2),
      a.fillNan(0),
      a.lst.lengths(),
      pl.maxHorizontal([a, b]),
    ];
    const other = [
      pl.all(),
      a.isIn(b),
      a.isIn(b.implode()),
      a.gt(a.mean()),
      a.fillNull("forward"),
      a.fillNull(b.max()),
      a.shift(1),
      a.cumSum(),
      a.rank(),
      a.isDuplicated(),
      a.isUnique(),
      a.sum().over("b"),
      a.add(pl.Series("x", [1, 2])),
      a.str.concat(","),
      a.first(),
      a.str.strptime(pl.Date),
      a.cast(pl.Categorical),
      a.str.toLowerCase(),
      a.head(2),
      a.explode(),
      a.reverse(),
      a.str.contains(b),
      a.interpolate(),
      a.sample(1),
      pl.when(a.max().gt(1)).then(b).otherwise(a),
      a.gather([0]),
      pl.intRange(0, 3),
      a.unique(),
      a.hash(),
      a.filter(b.gt(1)),
    ];
    for (const expr of rowWise) expect([String(expr), isByPage(expr)]).toEqual([String(expr), true]);
    for (const expr of other) expect([String(expr), isByPage(expr)]).toEqual([String(expr), false]);
  });

  it("for expressions as deep as polars can run", () => {
    const one = a.eq(1);
    let chain = b.gt(0);
    for (let terms = 0; terms < (LONG ? 1000 : 300); terms++) chain = chain.or(one);
    expect(isByPage(chain)).toBe(true);
  });
});
