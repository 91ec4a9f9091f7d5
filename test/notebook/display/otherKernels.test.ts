import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { KernelClient } from "../../../src/kernel/headless/kernelClient.js";
import type { Message } from "../../../src/kernel/protocol/wire.js";
import { ROOT } from "../../docs/markdown.js";
import { LONG } from "../../scale.js";
import { frameParts } from "./frameParts.js";

/** A kernel other than ours: how to start it, and how its cells load a module. */
interface OtherKernel {
  readonly argv: readonly string[];
  readonly load: (path: string) => string;
}

const OTHERS: ReadonlyMap<string, OtherKernel> = new Map([
  [
    "stock tslab",
    {
      argv: [
        process.execPath,
        createRequire(import.meta.url).resolve("tslab/bin/tslab"),
        "kernel",
        "--config-path",
        "{connection_file}",
      ],
      load: (path) => `require(${JSON.stringify(path)})`,
    },
  ],
  [
    "Deno",
    {
      argv: [process.env.DENO ?? "", "jupyter", "--kernel", "--conn", "{connection_file}"],
      load: (path) => `await import(${JSON.stringify(pathToFileURL(path).href)})`,
    },
  ],
]);

/**
 * The display and output messages of a cell, once the expected number has arrived. Deno replies before all of them are sent, so
 * they may arrive later on a busy machine.
 */
async function shownBy(
  kernel: KernelClient,
  code: string,
  expected: number,
): Promise<Array<[type: string, content: Record<string, unknown>]>> {
  const shown: Array<[string, Record<string, unknown>]> = [];
  const take = ({ header, content }: Message) => {
    if (/display_data$|^stream$|^error$/.test(header.msg_type)) shown.push([header.msg_type, content]);
  };
  kernel.onStray = take;
  const reply = await kernel.execute(code, take);
  expect(reply.status, JSON.stringify(shown)).toBe("ok");
  await vi.waitFor(() => expect(shown.length).toBeGreaterThanOrEqual(expected), { timeout: 60_000 });
  return shown;
}

const bundleOf = ({ data }: Record<string, unknown>) => data as Record<string, string>;

// Deno is not a dependency; DENO=/path/to/deno enables its test.
describe.each([...OTHERS])("the real kernel of %s", (name, { argv, load }) => {
  it.skipIf(!LONG || (name === "Deno" && process.env.DENO === undefined))(
    "shows a frame as one table and updates a progress bar in place",
    async () => {
      const dist = join(ROOT, "dist");
      if (!existsSync(dist)) throw new Error("cells run on the built package: npm run build");
      const kernel = await KernelClient.start({ argv }, ROOT);
      try {
        const frames = await shownBy(
          kernel,
          `const { show, progressDisplay } = ${load(join(dist, "notebook/index.js"))};
const { pl } = ${load(join(dist, "index.js"))};
show(pl.DataFrame({ name: ["Ann <b>", null] }));`,
          1,
        );
        expect(frames.map(([type]) => type)).toEqual(["display_data"]);
        const bundle = bundleOf(frames[0]?.[1] ?? {});
        expect(Object.keys(bundle)).toEqual(["text/plain", "text/html"]);
        expect(frameParts(bundle["text/html"]).rows.map(([first]) => first?.text)).toEqual(["Ann <b>", "null"]);

        const bars = await shownBy(
          kernel,
          `const report = progressDisplay();
const event = { call: 1, operation: "mentions", rows: 40, pages: 2, requests: 2, seconds: 1, rate: 40, maxItems: 80, waiting: undefined };
report({ ...event, verdict: undefined, reason: undefined });
report({ ...event, verdict: "stopped", reason: "ABORTED" });`,
          2,
        );
        expect(bars.map(([type]) => type)).toEqual(["display_data", "update_display_data"]);
        const ids = bars.map(([, { transient }]) => (transient as { display_id: string }).display_id);
        expect(ids[0]).toBe(ids[1]);
        expect(bundleOf(bars[1]?.[1] ?? {})["text/plain"]).toBe(
          "mentions · 40 rows in 2 pages, 2 requests, 1 s · interrupted",
        );
      } finally {
        await kernel.close();
      }
    },
  );
});
