import { afterEach, describe, expect, it, vi } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { display, show } from "../../../src/notebook/index.js";

const HOST = Symbol.for("archive-frames.host");
const globals = globalThis as Record<string | symbol, unknown>;
const frame = toDataFrame([{ a: 1 }]);

afterEach(() => {
  delete globals[HOST];
  vi.restoreAllMocks();
});

describe("show", () => {
  it("sends bundles to the notebook host", () => {
    const shown: Array<Record<string, unknown>> = [];
    globals[HOST] = { display: (bundle: Record<string, unknown>) => ({ update: shown.push(bundle) }) };
    expect(show(frame, { width: 3 })).toBeUndefined();
    expect(display("text")).toBeUndefined();
    show({ a: 1 });
    expect(shown[0]?.["text/html"]).toContain("1 row × 1 column<");
    show(toDataFrame([{ a: 1, b: 2, c: 3 }]), { columns: ["c", "a"] });
    expect(shown.pop()?.["text/html"]).toContain("1 row × 2 of 3 columns");
    expect(shown.slice(1)).toEqual([{ "text/plain": "text" }, { "text/plain": "{ a: 1 }" }]);
  });

  it("sends HTML, Markdown and SVG as they are", () => {
    const shown: Array<Record<string, unknown>> = [];
    globals[HOST] = { display: (bundle: Record<string, unknown>) => ({ update: shown.push(bundle) }) };
    display.html("<b>a</b>");
    display.markdown("**a**");
    display.svg("<svg><path/></svg>");
    display({ outerHTML: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    const named = '<svg xmlns="http://www.w3.org/2000/svg">';
    expect(shown).toEqual([
      { "text/plain": "<b>a</b>", "text/html": "<b>a</b>" },
      { "text/plain": "**a**", "text/markdown": "**a**" },
      { "text/plain": expect.stringContaining("SVG"), "image/svg+xml": `${named}<path/></svg>` },
      { "text/plain": expect.stringContaining("SVG"), "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    ]);
    // A text may come from the service, so it is not taken for a picture.
    display("<svg></svg>");
    expect(shown[4]).toEqual({ "text/plain": "<svg></svg>" });
    expect(() => display.svg("path")).toThrow("Give an SVG element");
    expect(() => display.html(5 as never)).toThrow("invalid html: 5");
  });

  it("prints text outside notebooks", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    show(frame);
    expect(log.mock.calls).toEqual([["1 row × 1 column\n  a\ni64\n  1"]]);
  });

  it("rejects a promise and suggests await", () => {
    expect(() => show(Promise.resolve(frame))).toThrow("it is a promise. Put await before it.");
  });

  it("rejects unknown options", () => {
    expect(() => show(frame, { rows: 1.5 })).toThrow("invalid rows: 1.5");
    expect(() => show("text", { high: 5 } as object)).toThrow("invalid option of display");
  });
});
