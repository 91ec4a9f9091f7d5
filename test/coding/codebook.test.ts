import { describe, expect, it } from "vitest";
import { codebook } from "../../src/coding/index.js";

describe("codebook", () => {
  it("knows its variables, and has another hash with every change", () => {
    const definition = { stance: ["support", "oppose"], cost: "yes/no", amount: "number", note: "text" } as const;
    const first = codebook(definition);
    expect(first.variables.map(({ name, kind, scale, values }) => [name, kind, scale, values.length])).toEqual([
      ["stance", "choice", "nominal", 2],
      ["cost", "choice", "nominal", 2],
      ["amount", "number", "interval", 0],
      ["note", "text", "nominal", 0],
    ]);
    const others = [
      codebook(definition, { instructions: "Read twice." }),
      codebook({ ...definition, stance: ["oppose", "support"] }),
      codebook({ ...definition, stance: { values: ["support", "oppose"], scale: "ordinal" } }),
    ];
    expect(new Set([first, ...others].map(({ hash }) => hash)).size).toBe(4);
    expect(codebook(definition).hash).toBe(first.hash);
    // Digits alone, or with one e, would be a number for a spreadsheet.
    for (const { hash } of [first, ...others]) expect(hash).toMatch(/^c[\da-f]{15}$/);
  });

  it.each([
    [{}, /Give at least one/],
    [{ "1st": "text" }, /Give a word/],
    [{ row: "text" }, /have a column of that name/],
    [{ constructor: "text" }, /JavaScript objects have a member of that name/],
    [{ ["__proto__"]: "text" }, /JavaScript objects have a member of that name/],
    [{ a: ["one"] }, /Give 2 to 9 values/],
    [{ a: ["x", "X"] }, /Give every value once/],
    [{ a: { values: "yes/no", scale: "interval" } }, /invalid scale of a: "interval"\. Its values are not numbers/],
    [{ a: [""] }, /Give a list of values/],
    [{ a: { values: ["x", "y"], scale: "ordinl" } }, /Did you mean "ordinal"/],
    [{ a: { valuess: ["x", "y"] } }, /Did you mean values/],
  ])("refuses %j", (variables, message) => {
    expect(() => codebook(variables as never)).toThrow(message);
  });
});
