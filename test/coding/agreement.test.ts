import { describe, expect, it } from "vitest";
import { agreement, codebook } from "../../src/coding/index.js";
import { pl, where } from "../../src/index.js";
import reference from "./agreement.json" with { type: "json" };

/** Codes of several coders, a list of values each. */
function codesOf(coders: readonly (readonly (string | number | null)[])[]) {
  return pl.DataFrame(
    coders.flatMap((values, coder) =>
      values.flatMap((code, at) =>
        code === null ? [] : [{ row: `m${at}`, coder: "ABCD"[coder] as string, code, text: `text of m${at}` }],
      ),
    ),
  );
}

function measured(table: ReturnType<typeof agreement>) {
  return Object.fromEntries(table.toRecords().map(({ measure, value }) => [measure, value]));
}

describe("agreement", () => {
  it("equals Cohen's kappa of the psych package of R", () => {
    const { a, b, percent, cohen_kappa } = reference.two_coders;
    const book = codebook({ code: { values: "number", scale: "nominal" } });
    const found = measured(agreement(codesOf([a, b]), { book }));
    expect(found.percent).toBeCloseTo(percent, 9);
    expect(found.kappa).toBeCloseTo(cohen_kappa, 9);
  });

  it.each(["nominal", "ordinal", "interval", "ratio"] as const)(
    "equals Krippendorff's example on the %s scale",
    (scale) => {
      const { coders, ...alphas } = reference.krippendorff_2011;
      const book = codebook({ code: { values: "number", scale } });
      const table = agreement(codesOf(coders), { book }).filter(pl.col("coder_a").isNull());
      expect(measured(table).alpha).toBeCloseTo(alphas[scale], 3);
      expect(table.getColumn("units").toArray()).toEqual([11, 11]);
      expect(Object.keys(measured(table))).toEqual(["percent", "alpha"]);
    },
  );

  it("of each pair shows who disagrees", () => {
    const book = codebook({ code: "yes/no" });
    const codes = codesOf([
      ["yes", "no", "no", "yes"],
      ["yes", "no", "no", null],
      ["no", "yes", "no", "no"],
    ]);
    const rows = agreement(codes, { book }).toRecords();
    const of = (a: string | null, b: string | null) =>
      Object.fromEntries(
        rows.flatMap((row) => (row.coder_a === a && row.coder_b === b ? [[row.measure, row.value]] : [])),
      );
    expect(of("A", "B")).toEqual({ percent: 1, alpha: 1, kappa: 1 });
    const alone = (...coders: string[]) => agreement(codes.filter(where({ coder: coders })), { book });
    expect(of("A", "C")).toEqual(measured(alone("A", "C")));
    expect(of("B", "C")).toEqual(measured(alone("B", "C")));
    expect(of("A", "C").percent).toBe(0.25);
    expect(of(null, null)).toMatchObject({ percent: expect.closeTo(5 / 10, 9) });
  });

  it("is kappa below zero where coders disagree more than by chance, and no alpha where every code is the same", () => {
    const book = codebook({ code: "yes/no" });
    const opposite = codesOf([
      ["yes", "no", "yes"],
      ["no", "yes", "no"],
    ]);
    expect(measured(agreement(opposite, { book })).kappa).toBeLessThan(0);
    const same = codesOf([
      ["yes", "yes"],
      ["yes", "yes"],
    ]);
    expect(measured(agreement(same, { book }))).toEqual({ percent: 1, alpha: null, kappa: null });
  });

  it("reads codes of any case and type, and refuses those of one coder and others than the codebook has", () => {
    const book = codebook({ code: "yes/no" });
    const codes = codesOf([
      ["yes", "no"],
      ["Yes", " NO"],
    ]);
    const answers = codes.withColumns(pl.Series("code", [true, false, true, false]));
    for (const same of [codes, answers]) expect(measured(agreement(same, { book }))).toMatchObject({ alpha: 1 });
    const words = { book: codebook({ code: ["true", "false"] }) };
    expect(measured(agreement(answers, words))).toMatchObject({ alpha: 1 });
    expect(() => agreement(codes.head(2), { book })).toThrow(/no passage has codes of two coders/);
    for (const variables of [[], "code"])
      expect(() => agreement(codes, { book, variables: variables as never })).toThrow("invalid variables");
    const definition = { book: { code: ["yes"] } as never };
    expect(() => agreement(codes, definition)).toThrow("Give the result of codebook({ … }).");
    const other = codes.withColumns(pl.lit("maybe").alias("code"));
    expect(() => agreement(other, { book })).toThrow('invalid code: "maybe". Give one of "yes", "no" (m0 by A).');
    const numbers = codes.withColumns(pl.lit(Number.NaN).alias("code"));
    expect(() => agreement(numbers, { book: codebook({ code: "number" }) })).toThrow(
      "invalid code: NaN. Give a number",
    );
  });
});
