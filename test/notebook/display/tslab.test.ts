import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";
import { openDisplay } from "../../../src/notebook/display/openDisplay.js";
import { show } from "../../../src/notebook/display/show.js";

/** What a cell of stock tslab sends to Jupyter. */
interface Sent {
  readonly content: { readonly data: Record<string, string>; readonly transient: { readonly display_id: string } };
  readonly update: boolean | undefined;
}

const load = createRequire(import.meta.url);
load("tslab");
const jupyter = load("tslab/dist/jupyter.js") as { lastWriteDisplayData: unknown };
const path = load.resolve("tslab/dist/jupyter.js");
let sent: Sent[];

beforeEach(() => {
  // The executor leaves the object that a package finds its kernel by; each cell then gets a writer of its own.
  const { createExecutor } = load("tslab/dist/executor.js") as { createExecutor: (...args: unknown[]) => unknown };
  createExecutor(process.cwd(), {}, console);
  sent = [];
  jupyter.lastWriteDisplayData = (content: Sent["content"], update?: boolean) => void sent.push({ content, update });
});

afterEach(() => {
  jupyter.lastWriteDisplayData = null;
  delete (globalThis as { __tslab__?: unknown }).__tslab__;
});

describe("in stock tslab", () => {
  it("a frame is one message with all formats", () => {
    show(toDataFrame([{ a: 1 }]));
    expect(sent.map(({ content, update }) => [Object.keys(content.data), update])).toEqual([
      [["text/plain", "text/html"], false],
    ]);
    expect(sent[0]?.content.data["text/html"]).toContain("1 row × 1 column");
  });

  it("a display is updated under its own id, by the writer of the current cell", () => {
    const opened = openDisplay({ "text/plain": "a" });
    const later: Sent[] = [];
    jupyter.lastWriteDisplayData = (content: Sent["content"], update?: boolean) => void later.push({ content, update });
    opened.update({ "text/plain": "b" });
    expect(later).toEqual([{ content: { ...sent[0]?.content, data: { "text/plain": "b" } }, update: true }]);
    expect(sent[0]?.content.transient.display_id).toMatch(/^[0-9a-f]{16}$/);
  });

  it("without access to the kernel's module, tslab's public API sends one format", () => {
    const module = load.cache[path];
    delete load.cache[path];
    try {
      const opened = openDisplay({ "text/plain": "a", "text/html": "<b>a</b>" });
      opened.update({ "text/plain": "b" });
    } finally {
      load.cache[path] = module;
    }
    expect(sent.map(({ content, update }) => [content.data, update])).toEqual([
      [{ "text/html": "<b>a</b>" }, undefined],
      [{ "text/plain": "b" }, true],
    ]);
  });

  it("before the first cell, text goes to the console", () => {
    jupyter.lastWriteDisplayData = null;
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    show("text");
    expect(log.mock.calls).toEqual([["text"]]);
    log.mockRestore();
  });
});
