import { afterEach, expect, it, vi } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { display, show } from "../../../src/notebook/index.js";

const HOST = Symbol.for("archive-frames.host");
const globals = globalThis as Record<string | symbol, unknown>;
const frame = toDataFrame([{ a: 1 }]);

afterEach(() => {
  delete globals[HOST];
  vi.restoreAllMocks();
});

it("show sends bundles to the notebook host, and prints text outside notebooks", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  show(frame);
  expect(log.mock.calls).toEqual([["1 row × 1 column\n  a\ni64\n  1"]]);
  const shown: Array<Record<string, unknown>> = [];
  globals[HOST] = { display: (bundle: Record<string, unknown>) => ({ update: shown.push(bundle) }) };
  show(frame, { width: 3 });
  display("text");
  show({ a: 1 });
  show(toDataFrame([{ a: 1, b: 2, c: 3 }]), { columns: ["c", "a"] });
  expect(shown[0]?.["text/html"]).toContain("1 row × 1 column<");
  expect(shown.slice(1, 3)).toEqual([{ "text/plain": "text" }, { "text/plain": "{ a: 1 }" }]);
  expect(shown[3]?.["text/html"]).toContain("1 row × 2 of 3 columns");
});

it("show refuses a promise, and unknown or invalid options", () => {
  expect(() => show(Promise.resolve(frame))).toThrow("it is a promise. Put await before it.");
  expect(() => show(frame, { rows: 1.5 })).toThrow("invalid rows: 1.5");
  expect(() => show(frame, { columns: 0 })).toThrow("Give a whole number from 1");
  expect(() => show(frame, { columns: ["b"] })).toThrow('invalid columns: "b"');
  expect(() => show("text", { row: 5 } as object)).toThrow("Did you mean rows?");
});
