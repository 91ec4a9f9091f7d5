import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { openDisplay } from "../../../src/notebook/display/openDisplay.js";
import { show } from "../../../src/notebook/index.js";

/** What a cell of stock tslab sends to Jupyter. */
interface Sent {
  readonly content: { readonly data: Record<string, string>; readonly transient: { readonly display_id: string } };
  readonly update: boolean | undefined;
}

const load = createRequire(import.meta.url);
load("tslab");
const jupyter = load("tslab/dist/jupyter.js") as { lastWriteDisplayData: unknown };
let sent: Sent[];

beforeEach(() => {
  // Packages find tslab's executor through this object; the executor replaces its writer for each cell.
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
  it("sends a frame as one message with all formats", () => {
    show(toDataFrame([{ a: 1 }]));
    expect(sent.map(({ content, update }) => [Object.keys(content.data), update])).toEqual([
      [["text/plain", "text/html"], false],
    ]);
    expect(sent[0]?.content.data["text/html"]).toContain("1 row × 1 column");
  });

  it("updates a display under its own id, through the writer of the current cell", () => {
    const opened = openDisplay({ "text/plain": "a" });
    const later: Sent[] = [];
    jupyter.lastWriteDisplayData = (content: Sent["content"], update?: boolean) => void later.push({ content, update });
    opened.update({ "text/plain": "b" });
    expect(later).toEqual([{ content: { ...sent[0]?.content, data: { "text/plain": "b" } }, update: true }]);
    expect(sent[0]?.content.transient.display_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("prints text to the console before the first cell", () => {
    jupyter.lastWriteDisplayData = null;
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    show("text");
    expect(log.mock.calls).toEqual([["text"]]);
    log.mockRestore();
  });
});
