import { createRequire } from "node:module";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ArchiveClient, pl, toDataFrame } from "../../../src/index.js";
import { displayBundle } from "../../../src/notebook/display/displayBundle.js";

import { frameParts } from "./frameParts.js";

const DISPLAY = Symbol.for("Jupyter.display");
const rows = [
  { name: "Ann", n: 1, share: 0.25, at: "2024-04-27T02:35:35Z", yes: true },
  { name: null, n: null, share: 1, at: null, yes: null },
];

it("danfo frames and series are shown like polars frames", () => {
  const frame = toDataFrame(rows, { engine: "danfo" });
  const { shape, names, dtypes, rows: cells } = frameParts(frame);
  expect(shape).toBe("2 rows × 5 columns");
  expect(names).toEqual(["name", "n", "share", "at", "yes"]);
  expect(dtypes).toEqual(["str", "i64", "f64", "str", "bool"]);
  expect(cells.map((row) => row.map(({ text }) => text))).toEqual([
    ["Ann", "1", "0.25", "2024-04-27T02:35:35Z", "true"],
    ["null", "null", "1.00", "null", "null"],
  ]);
  expect(displayBundle(frame.column("n"))?.["text/plain"]).toBe("2 values\n   n\n i64\n   1\nnull");
  expect(frameParts(toDataFrame([], { engine: "danfo", operation: "bills" })).names).toHaveLength(5);
  const { DataFrame } = createRequire(import.meta.url)("danfojs-node") as typeof import("danfojs-node");
  const members = new DataFrame([["v", "c", "i"]], { columns: ["values", "columns", "index"] });
  expect(frameParts(members).names).toEqual(["values", "columns", "index"]);
});

it("polars series are one column", () => {
  expect(displayBundle(pl.Series("n", [1, 2.5]))?.["text/plain"]).toBe("2 values\n  n\nf64\n1.0\n2.5");
});

it("lazy frames and scans are shown as their plan and do not run", () => {
  const lazy = pl
    .DataFrame({ a: [1] })
    .lazy()
    .filter(pl.col("a").gt(0));
  const refuse = () => {
    throw new Error("it ran");
  };
  const watched = new Proxy(lazy, {
    get: (target, name) => (/^(?:collect|fetch)/.test(String(name)) ? refuse : Reflect.get(target, name)),
  });
  expect(displayBundle(watched)?.["text/plain"]).toMatch(/^lazy frame, not run yet.*\nFILTER /s);
  const archive = new ArchiveClient({ apiKey: "k", baseUrl: "http://127.0.0.1:9" });
  const scan = archive.scan.mentions("climate").head(5);
  expect(displayBundle(scan)).toEqual({ "text/plain": scan.explain() });
  const hostile = { explain: () => "SCAN \u001b[31m", collect: refuse, sink: refuse };
  expect(displayBundle(hostile)).toEqual({ "text/plain": "SCAN ␛[31m" });
});

describe("other values", () => {
  it("a value's own bundle is shown, converted to valid JSON", () => {
    const value = {
      [DISPLAY]: () => ({
        "text/html": "<b>x</b>",
        "application/json": { safe: 5n, long: 9007199254740993n, gone: undefined },
      }),
    };
    expect(displayBundle(value)).toEqual({
      "text/html": "<b>x</b>",
      "application/json": { safe: 5, long: "9007199254740993" },
      "text/plain": inspect(value),
    });
  });

  it("values that fail or have no bundle are left to other displayers", () => {
    const fails = () => {
      throw new Error("no");
    };
    for (const value of [
      { [DISPLAY]: fails },
      { [DISPLAY]: async () => ({ "text/plain": "late" }) },
      { [DISPLAY]: () => null },
      { [DISPLAY]: () => ({}) },
      { $isSeries: false, $columns: [] },
      Promise.resolve(pl.DataFrame({})),
      ...[[{ a: 1 }], { a: 1 }, "text", 5, null, undefined],
    ]) {
      expect(displayBundle(value)).toBeUndefined();
    }
  });
});
