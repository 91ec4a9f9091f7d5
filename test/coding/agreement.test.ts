import { describe, expect, it } from "vitest";
import { agreement, codebook } from "../../src/coding/index.js";
import { pl } from "../../src/index.js";
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
      const table = agreement(codesOf(coders), { book });
      expect(measured(table).alpha).toBeCloseTo(alphas[scale], 3);
      expect(table.getColumn("units").toArray()).toEqual([11, 11]);
      expect(Object.keys(measured(table))).toEqual(["percent", "alpha"]);
    },
  );

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
    const other = codes.withColumns(pl.lit("maybe").alias("code"));
    expect(() => agreement(other, { book })).toThrow('invalid code: "maybe". Give one of "yes", "no" (m0 by A).');
    const numbers = codes.withColumns(pl.lit(Number.NaN).alias("code"));
    expect(() => agreement(numbers, { book: codebook({ code: "number" }) })).toThrow(
      "invalid code: NaN. Give a number",
    );
  });
});
