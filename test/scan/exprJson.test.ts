import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PolarsExpr, pl, ValidationError } from "../../src/index.js";
import { exprNode, inUtc } from "../../src/scan/exprJson.js";
import { columnsOf, isRowWise } from "../../src/scan/rowWise.js";
import { termsOf } from "../../src/scan/terms.js";

const a = pl.col("a");
const b = pl.col("b");
const day = new Date("2024-01-15T10:00:00Z");
const json = (expr: PolarsExpr) => String((expr as unknown as { serialize(format: "json"): Buffer }).serialize("json"));

describe("the canary: what is known of polars' own format", () => {
  it("holds for this version and no other", () => {
    const { version } = JSON.parse(readFileSync("node_modules/nodejs-polars/package.json", "utf8")) as {
      version: string;
    };
    // Another version: compare every line of this test, then FUNCTIONS and OPERATORS in rowWise.ts, before changing it.
    expect(version).toBe("0.24.1");
  });

  it("expressions are written as they are read", () => {
    const A = '{"Column":"a"}';
    const known: ReadonlyArray<readonly [PolarsExpr, string]> = [
      [a.eq(5), `{"BinaryExpr":{"left":${A},"op":"Eq","right":{"Literal":{"Scalar":{"Float64":5.0}}}}}`],
      [a.eq(pl.lit("x")), `{"BinaryExpr":{"left":${A},"op":"Eq","right":{"Literal":{"Scalar":{"String":"x"}}}}}`],
      [pl.lit(9007199254740993n), '{"Literal":{"Scalar":{"UInt64":9007199254740993}}}'],
      [pl.lit(day), '{"Literal":{"Scalar":{"Datetime":[1705312800000,"Milliseconds",null]}}}'],
      [
        pl.lit(day).cast(pl.Datetime("us", "UTC")),
        '{"Cast":{"expr":{"Literal":{"Scalar":{"Datetime":[1705312800000,"Milliseconds",null]}}},"dtype":{"Literal":{"Datetime":["Microseconds",{"inner":"UTC"}]}},"options":"NonStrict"}}',
      ],
      [a.isIn(b), `{"Function":{"input":[${A},{"Column":"b"}],"function":{"Boolean":{"IsIn":{"nulls_equal":false}}}}}`],
      [a.fillNull(b), `{"Function":{"input":[${A},{"Column":"b"}],"function":"FillNull"}}`],
      [a.fillNull("forward"), `{"Function":{"input":[${A}],"function":{"FillNullWithStrategy":{"Forward":null}}}}`],
      [
        a.str.strptime(pl.Date),
        `{"Function":{"input":[${A},{"Literal":{"Scalar":{"String":"raise"}}}],"function":{"StringExpr":{"Strptime":[{"Literal":"Date"},{"format":null,"strict":false,"exact":false,"cache":false}]}}}}`,
      ],
      [a.alias("q"), `{"Alias":[${A},"q"]}`],
      [pl.all(), '{"Selector":"Wildcard"}'],
      [pl.col(pl.Int64 as never), '{"Selector":{"ByDType":{"AnyOf":["Int64"]}}}'],
      [pl.cols("a", "b"), '{"Selector":{"ByName":{"names":["a","b"],"strict":true}}}'],
      [a.mean(), `{"Agg":{"Mean":${A}}}`],
    ];
    for (const [expr, text] of known) expect(json(expr)).toBe(text);
    expect(() => json(a.str.toLowerCase())).toThrow(/opaque/);
  });
});

describe("dates become UTC", () => {
  it("and nothing else changes, whatever is beside them", () => {
    const utc = pl.lit(day).cast(pl.Datetime("us", "UTC"));
    const frame = pl.DataFrame([
      pl.Series("n", [9007199254740992n, 9007199254740993n, 9007199254740994n] as never, pl.Int64),
      pl.Series("f", [Number.NaN, 1.5, Number.POSITIVE_INFINITY], pl.Float64),
      pl.Series("t", ["2024-01-15T09:59:59Z", "2024-01-15T10:00:00Z", "2024-01-16T00:00:00Z"], pl.Utf8),
    ]);
    const dated = frame.withColumns(pl.col("t").str.strptime(pl.Datetime("ms"), "%+"));
    const with_ = (at: PolarsExpr): PolarsExpr[] => [
      pl.col("n").eq(pl.lit(9007199254740993n).cast(pl.Int64)).and(pl.col("t").gtEq(at)),
      pl.col("f").neq(Number.NaN).and(pl.col("t").gtEq(at)),
      pl.col("f").lt(Number.POSITIVE_INFINITY).or(pl.col("t").gt(at)),
      pl
        .col("t")
        .eq(at)
        .or(pl.lit('"Datetime":[0,"Milliseconds",null]').eq(pl.lit("x"))),
    ];
    const [plain, wanted] = [with_(pl.lit(day)), with_(utc)];
    plain.forEach((expr, at) => {
      expect(dated.filter(inUtc(expr)).rows()).toEqual(dated.filter(wanted[at] as PolarsExpr).rows());
    });
    expect(json(inUtc(plain[0] as PolarsExpr))).toBe(
      json(plain[0] as PolarsExpr).replace(",null]", ',{"inner":"UTC"}]'),
    );
  });

  it("in any number of places, as text of any kind stays", () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date("1960-01-01"), max: new Date("2100-01-01") });
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, fc.string()), { minLength: 1, maxLength: 5 }), (parts) => {
        const make = (literal: (at: Date) => PolarsExpr) =>
          parts.map(([at, text]) => a.eq(literal(at)).and(b.eq(pl.lit(text)))).reduce((all, one) => all.or(one));
        const text = json(make((at) => pl.lit(at)));
        const wanted = text.replace(/("Datetime":\[-?\d+,"Milliseconds"),null\]/g, '$1,{"inner":"UTC"}]');
        expect(json(inUtc(make((at) => pl.lit(at))))).toBe(wanted);
      }),
      { numRuns: Number(process.env.FUZZ ?? 40) },
    );
  });

  it("or the expression is refused, where they cannot be reached", () => {
    const opaque = a.str.toLowerCase().eq(pl.lit("x"));
    expect(inUtc(opaque)).toBe(opaque);
    expect(inUtc(opaque.and(b.eq(pl.lit("2024-01-15 10:00:00"))))).toBeDefined();
    expect(() => inUtc(opaque.and(b.gt(day)))).toThrow(ValidationError);
    expect(() => inUtc(opaque.and(b.gt(day)))).toThrow(/Its dates need a time zone/);
  });
});

describe("what runs row by row", () => {
  it("is what is known to, and nothing else", () => {
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
      pl.all(),
      pl.maxHorizontal([a, b]),
    ];
    const other = [
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
    for (const expr of rowWise) expect([String(expr), isRowWise(exprNode(expr))]).toEqual([String(expr), true]);
    for (const expr of other) expect([String(expr), isRowWise(exprNode(expr))]).toEqual([String(expr), false]);
  });

  it("and is found out of chains as long as polars runs", () => {
    const one = a.eq(1);
    let chain = b.gt(day);
    for (let terms = 0; terms < 1000; terms++) chain = chain.or(one);
    const node = exprNode(inUtc(chain));
    expect(isRowWise(node)).toBe(true);
    expect(columnsOf(node).names).toHaveLength(1001);
    expect(termsOf(node)).toEqual([]);
  }, 60_000);
});

describe("terms", () => {
  it("are exact, also beyond what a number holds", () => {
    expect(termsOf(exprNode(a.eq(pl.lit(9007199254740993n).cast(pl.Int64))))).toEqual([]);
    const ns = pl.lit(day).cast(pl.Datetime("ms"));
    expect(termsOf(exprNode(a.ltEq(ns)))).toEqual([{ column: "a", op: "LtEq", value: { moment: day.getTime() } }]);
  });
});
