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

describe("danfo", () => {
  it("shows frames like polars frames, with danfo's dtypes", () => {
    const frame = toDataFrame(rows, { engine: "danfo" });
    const { shape, names, dtypes, rows: cells } = frameParts(frame);
    expect(shape).toBe("2 rows × 5 columns");
    expect(names).toEqual(["name", "n", "share", "at", "yes"]);
    expect(dtypes).toEqual(["string", "int32", "float32", "string", "boolean"]);
    expect(cells.map((row) => row.map(({ text }) => text))).toEqual([
      ["Ann", "1", "0.25", "2024-04-27T02:35:35Z", "true"],
      ["null", "null", "1.0", "null", "null"],
    ]);
    expect(cells[0]?.map(({ numeric }) => numeric)).toEqual([false, true, true, false, false]);
  });

  it("shows series as one column, with a custom index", () => {
    const frame = toDataFrame(rows, { engine: "danfo" });
    expect(displayBundle(frame.column("n"))?.["text/plain"]).toBe("2 values\n    n\nint32\n    1\n null");
    frame.setIndex({ column: "name", inplace: true });
    const labelled = frameParts(frame);
    expect(labelled.dtypes[0]).toBe("index");
    expect(labelled.rows[0]?.[0]?.text).toBe("Ann");
  });

  it("keeps the columns of frames without rows", () => {
    const frame = toDataFrame([], { engine: "danfo", operation: "bills" });
    expect(displayBundle(frame)?.["text/plain"]).toMatch(/^0 rows × 5 columns\n/);
  });

  it("shows frames with columns named like members of danfo", () => {
    const { DataFrame } = createRequire(import.meta.url)("danfojs-node") as typeof import("danfojs-node");
    const frame = new DataFrame([["v", "c", "i"]], { columns: ["values", "columns", "index"] });
    const { names, rows: cells } = frameParts(frame);
    expect(names).toEqual(["values", "columns", "index"]);
    expect(cells[0]?.map(({ text }) => text)).toEqual(["v", "c", "i"]);
  });
});

describe("other values", () => {
  it("polars series are one column", () => {
    const bundle = displayBundle(pl.Series("n", [1, 2.5]));
    expect(bundle?.["text/plain"]).toBe("2 values\n  n\nf64\n1.0\n2.5");
    expect(frameParts(pl.Series("n", [1, 2.5])).names).toEqual(["n"]);
  });

  it("lazy frames are shown as their plan and do not run", () => {
    let ran = false;
    const lazy = pl
      .DataFrame({ a: [1] })
      .lazy()
      .filter(pl.col("a").gt(0));
    const watched = new Proxy(lazy, {
      get(target, name) {
        if (name !== "collect" && name !== "collectSync" && name !== "fetch") return Reflect.get(target, name);
        return () => {
          ran = true;
        };
      },
    });
    expect(displayBundle(watched)?.["text/plain"]).toMatch(/^lazy frame, not run yet.*\nFILTER /s);
    expect(ran).toBe(false);
    expect(displayBundle(pl.scanCSV("missing.csv"))?.["text/plain"]).toMatch(/its plan is invalid: /);
  });

  it("scans are shown as their plan", () => {
    const refuse = () => {
      throw new Error("it ran");
    };
    const scan = { explain: () => "SCAN mentions\n  request \u001b[31m", collect: refuse, sink: refuse };
    expect(displayBundle(scan)).toEqual({ "text/plain": "SCAN mentions\n  request ␛[31m" });
  });

  it("scans of a client are shown without a request", () => {
    const archive = new ArchiveClient({ apiKey: "k", baseUrl: "http://127.0.0.1:9" });
    const scan = archive.scan.mentions("climate").head(5);
    expect(displayBundle(scan)).toEqual({ "text/plain": scan.explain() });
    expect(scan.explain()).toMatch(/^SCAN mentions\n/);
  });

  it("a value's own bundle is shown, converted to valid JSON", () => {
    const value = {
      [DISPLAY]: () => ({
        "text/html": "<b>x</b>",
        "application/json": { safe: 5n, long: 9007199254740993n, gone: undefined },
        "application/vnd.dataresource+json": { data: [] },
      }),
    };
    expect(displayBundle(value)).toEqual({
      "text/html": "<b>x</b>",
      "application/json": { safe: 5, long: "9007199254740993" },
      "text/plain": inspect(value),
    });
    const own = { [DISPLAY]: () => ({ "text/plain": "mine" }) };
    expect(displayBundle(own)).toEqual({ "text/plain": "mine" });
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
      { [Symbol.toStringTag]: "DataFrame" },
      { $isSeries: false, $columns: [] },
      Promise.resolve(pl.DataFrame({})),
      [{ a: 1 }],
      { a: 1 },
      "text",
      5,
      null,
      undefined,
    ]) {
      expect(displayBundle(value)).toBeUndefined();
    }
  });
});
