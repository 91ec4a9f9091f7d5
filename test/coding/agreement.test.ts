import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreement, codebook, disagreements, resolve } from "../../src/coding/index.js";
import { pl, ValidationError } from "../../src/index.js";
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
  return Object.fromEntries(table.toRecords().map(({ measure, value }) => [measure, value as number]));
}

describe("agreement", () => {
  it("equals Cohen's kappa of the psych package of R", () => {
    const { a, b, percent, cohen_kappa } = reference.two_coders;
    const book = codebook({ code: { values: "number", scale: "nominal" } });
    const found = measured(agreement(codesOf([a, b]), { book, rounds: 10 }));
    expect(found.percent).toBeCloseTo(percent, 9);
    expect(found.kappa).toBeCloseTo(cohen_kappa, 9);
  });

  it.each(["nominal", "ordinal", "interval", "ratio"] as const)(
    "equals Krippendorff's example on the %s scale",
    (scale) => {
      const { coders, ...alphas } = reference.krippendorff_2011;
      const book = codebook({ code: { values: "number", scale } });
      const table = agreement(codesOf(coders), { book, rounds: 100 });
      expect(measured(table).alpha).toBeCloseTo(alphas[scale], 3);
      expect(table.getColumn("units").toArray()).toEqual([11, 11, 11]);
      expect(Object.keys(measured(table))).toEqual(["percent", "alpha", "ac1"]);
    },
  );

  it("equals Gwet's AC1 where kappa falls below zero", () => {
    const { table, ac1, cohen_kappa } = reference.gwet_2008;
    const pairs = table.flatMap((line, a) =>
      line.flatMap((count, b) => Array.from({ length: count }, () => [a, b] as const)),
    );
    const name = (code: number) => (code === 0 ? "yes" : "no");
    const codes = codesOf([pairs.map(([a]) => name(a)), pairs.map(([, b]) => name(b))]);
    const found = measured(agreement(codes, { book: codebook({ code: "yes/no" }), rounds: 10 }));
    expect(found.ac1).toBeCloseTo(ac1, 3);
    expect(found.kappa).toBeCloseTo(cohen_kappa, 3);
  });

  it("has intervals that contain the value, and the same ones for the same seed, in any order of rows", () => {
    const { a, b } = reference.two_coders;
    const book = codebook({ code: { values: "number", scale: "nominal" } });
    const table = agreement(codesOf([a, b]), { book, seed: 3 }).toRecords();
    for (const { value, low, high } of table as Record<string, number>[]) {
      expect(low).toBeLessThan(value as number);
      expect(high).toBeGreaterThan(value as number);
    }
    // The asymptotic interval of the psych package.
    const kappa = table.find(({ measure }) => measure === "kappa") as Record<string, number>;
    expect(Math.abs((kappa.low as number) - reference.two_coders.cohen_kappa_low)).toBeLessThan(0.02);
    expect(Math.abs((kappa.high as number) - reference.two_coders.cohen_kappa_high)).toBeLessThan(0.02);
    expect(agreement(codesOf([a, b]).sort("row", true), { book, seed: 3 }).toRecords()).toEqual(table);
  });

  it("counts passages of a sample as often as they stand for others", () => {
    const book = codebook({ code: { values: "number", scale: "interval" } });
    const value = fc.integer({ min: 1, max: 4 });
    const passage = fc.record({ codes: fc.tuple(value, value), times: fc.integer({ min: 1, max: 4 }) });
    const spread = (all: readonly { readonly codes: readonly [number, number] }[]) =>
      codesOf([all.map(({ codes: [a] }) => a), all.map(({ codes: [, b] }) => b)]);
    fc.assert(
      fc.property(fc.array(passage, { minLength: 3, maxLength: 20 }), (passages) => {
        const codes = spread(passages);
        const probability = [...passages, ...passages].map(({ times }) => 1 / times);
        const drawn = codes.withColumns(
          pl.Series("stratum", probability.map(String)),
          pl.Series("probability", probability),
        );
        const repeated = passages.flatMap((one) => Array.from({ length: one.times }, () => one));
        const [found, expected] = [drawn, spread(repeated)].map((frame) =>
          measured(agreement(frame, { book, rounds: 1 })),
        );
        for (const name of ["percent", "ac1", "kappa"])
          expect(found?.[name] ?? Number.NaN).toBeCloseTo(expected?.[name] ?? Number.NaN, 9);
        // Alpha has n − 1, and weights add up to the number of passages.
        const part = (alpha: number | undefined, of: number) => ((1 - (alpha ?? Number.NaN)) * 2 * of) / (2 * of - 1);
        expect(part(found?.alpha, passages.length)).toBeCloseTo(part(expected?.alpha, repeated.length), 9);
        expect(measured(agreement(drawn, { book, rounds: 1, weights: false }))).toEqual(
          measured(agreement(codes, { book, rounds: 1 })),
        );
      }),
      { seed: 51, numRuns: 40 },
    );
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
    for (const work of [agreement, disagreements, (of: typeof codes, options: object) => resolve(of, [], options)])
      expect(() => work(other, { book })).toThrow('invalid code: "maybe". Give one of "yes", "no" (m0 by A).');
    const numbers = codes.withColumns(pl.lit(Number.NaN).alias("code"));
    expect(() => agreement(numbers, { book: codebook({ code: "number" }) })).toThrow(
      "invalid code: NaN. Give a number",
    );
  });
});

describe("disagreements", () => {
  const book = codebook({ code: "yes/no" });
  const codes = codesOf([
    ["yes", "no", "yes", null],
    ["yes", "yes", "no", "no"],
  ]);

  it("lists what to discuss, and resolve records who decided what and why", () => {
    expect(disagreements(codes, { book }).toRecords()).toEqual([
      { row: "m1", variable: "code", A: "no", B: "yes", text: "text of m1", link: null },
      { row: "m2", variable: "code", A: "yes", B: "no", text: "text of m2", link: null },
    ]);
    const decision = { variable: "code", by: "A and B", why: "irony" };
    const decided = resolve(
      codes,
      [
        { row: "m1", value: "yes", ...decision },
        { row: "m2", value: "no", ...decision },
      ],
      { book },
    );
    expect(decided.select("row", "coder", "code", "resolved_by", "why").rows()).toEqual([
      ["m0", "all", "yes", null, null],
      ["m1", "all", "yes", "A and B", "irony"],
      ["m2", "all", "no", "A and B", "irony"],
      ["m3", "B", "no", null, null],
    ]);
  });

  it("refuses to leave a disagreement open, and to decide what nobody asked", () => {
    const decision = { row: "m1", variable: "code", value: "yes", by: "A", why: "irony" };
    expect(() => resolve(codes, [decision], { book })).toThrow(/1 disagreement is open, the first about code of "m2"/);
    expect(() => resolve(codes, [{ ...decision, row: "m9" }], { book })).toThrow(/invalid row: "m9"/);
    expect(() => resolve(codes, [{ ...decision, value: "maybe" }], { book })).toThrow(/Give one of "yes", "no"/);
    expect(() => resolve(codes, undefined, { book })).toThrow(/^invalid decisions: 0\. 2 disagreements are open/);
    expect(resolve(codes.head(1), undefined, { book }).height).toBe(1);
    for (const wrong of [null, { book }, "majority", [null], ["m1"], [decision, { ...decision, value: "no" }]])
      expect(() => resolve(codes, wrong as never, { book }), JSON.stringify(wrong)).toThrow(ValidationError);
  });
});
