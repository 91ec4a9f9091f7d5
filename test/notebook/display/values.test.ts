import { createRequire } from "node:module";
import { inspect } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { ArchiveClient, pl, toDataFrame } from "../../../src/index.js";
import { display, show } from "../../../src/notebook.js";
import { displayBundle } from "../bundles.js";
import { frameParts } from "./frameParts.js";

const DISPLAY = Symbol.for("Jupyter.display");
const rows = [
  { name: "Ann", n: 1, share: 0.25, at: "2024-04-27T02:35:35Z", yes: true },
  { name: null, n: null, share: 1, at: null, yes: null },
];

const refuse = () => {
  throw new Error("it ran");
};

it("series are one column, and danfo is shown like polars", () => {
  expect(displayBundle(pl.Series("n", [1, 2.5]))?.["text/plain"]).toBe("2 values\n  n\nf64\n1.0\n2.5");
  const frame = toDataFrame(rows, { engine: "danfo" });
  const { shape, names, dtypes, rows: cells } = frameParts(frame);
  expect([shape, ...names]).toEqual(["2 rows × 5 columns", "name", "n", "share", "at", "yes"]);
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

it("lazy frames and scans are shown as their plan and do not run", () => {
  const lazy = one.lazy().filter(pl.col("a").gt(0));
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

it("other values show their own bundle, converted to valid JSON", () => {
  const bundle = {
    "text/html": "<b>x</b>",
    "application/json": { safe: 5n, long: 9007199254740993n, gone: undefined },
  };
  const value = { [DISPLAY]: () => bundle };
  expect(displayBundle(value)).toEqual({
    "text/html": "<b>x</b>",
    "application/json": { safe: 5, long: "9007199254740993" },
    "text/plain": inspect(value),
  });
});

it("values that fail or have no bundle are left to other displayers", () => {
  const late = async () => ({ "text/plain": "late" });
  const odd = [refuse, late, () => null, () => ({})].map((method) => ({ [DISPLAY]: method }));
  const resembling = [{ $isSeries: false, $columns: [] }, Promise.resolve(pl.DataFrame({}))];
  for (const value of [...odd, ...resembling, [{ a: 1 }], { a: 1 }, "text", 5, null, undefined])
    expect(displayBundle(value)).toBeUndefined();
});

const one = toDataFrame([{ a: 1 }]);
const HOST = Symbol.for("archive-frames.host");
const globals = globalThis as Record<string | symbol, unknown>;

afterEach(() => {
  delete globals[HOST];
  vi.restoreAllMocks();
});

it("show sends bundles to the notebook host, and prints text outside notebooks", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  show(one);
  expect(log.mock.calls).toEqual([["1 row × 1 column\n  a\ni64\n  1"]]);
  const shown: Array<Record<string, unknown>> = [];
  globals[HOST] = { display: (bundle: Record<string, unknown>) => ({ update: shown.push(bundle) }) };
  show(one, { width: 3 });
  display("text");
  show({ a: 1 });
  show(toDataFrame([{ a: 1, b: 2, c: 3 }]), { columns: ["c", "a"] });
  expect(shown[0]?.["text/html"]).toContain("1 row × 1 column<");
  expect(shown.slice(1, 3)).toEqual([{ "text/plain": "text" }, { "text/plain": "{ a: 1 }" }]);
  expect(shown[3]?.["text/html"]).toContain("1 row × 2 of 3 columns");
});

it("show refuses a promise, and unknown or invalid options", () => {
  expect(() => show(Promise.resolve(one))).toThrow("it is a promise. Put await before it.");
  expect(() => show(one, { rows: 1.5 })).toThrow("invalid rows: 1.5");
  expect(() => show(one, { columns: 0 })).toThrow("Give a whole number from 1");
  expect(() => show(one, { columns: ["b"] })).toThrow('invalid columns: "b"');
  expect(() => show("text", { row: 5 } as object)).toThrow("Did you mean rows?");
});
