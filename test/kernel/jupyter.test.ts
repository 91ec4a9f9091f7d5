import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentPlatform, installSpec } from "../../src/kernel/kernelspec/kernelSpec.js";
import { type Notebook, runNotebook } from "../../src/notebook/index.js";

import { LONG } from "../scale.js";
import { builtKernel, ENTRY, START, scratchDirectory } from "./kernels.js";

const installed = spawnSync("jupyter-nbconvert", ["--version"]).status === 0;

// In the long form, and only with Jupyter; jupyterClient.test.ts and protocol.test.ts cover its client and the protocol.
describe.skipIf(!installed)("jupyter nbconvert", { timeout: START }, () => {
  const folder = scratchDirectory();
  const data = join(folder, "data");
  installSpec({}, { ...currentPlatform(), env: { JUPYTER_DATA_DIR: data }, entry: ENTRY });

  async function nbconvert(
    name: string,
    sources: string[],
    ...parameters: string[]
  ): Promise<{ code: unknown; err: string }> {
    const cells = sources.map((source) => ({
      cell_type: "code",
      metadata: {},
      source,
      outputs: [],
      execution_count: null,
    }));
    const kernelspec = { name: "archive-frames", display_name: "x", language: "typescript" };
    writeFileSync(
      join(folder, `${name}.ipynb`),
      JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }),
    );
    const all = ["--to", "notebook", "--execute", "--output", `${name}.out.ipynb`, ...parameters, `${name}.ipynb`];
    const env = {
      ...process.env,
      JUPYTER_DATA_DIR: data,
      HOME: folder,
      ARCHIVE_API_KEY: undefined,
      ARCHIVE_BASE_URL: undefined,
    };
    const child = spawn("jupyter-nbconvert", all, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let err = "";
    child.stderr.on("data", (text: Buffer) => {
      err += text;
    });
    const [code] = await once(child, "close");
    return { code, err };
  }

  const outputs = (path: string) =>
    (JSON.parse(readFileSync(join(folder, path), "utf8")) as Notebook).cells.map((cell) => cell.outputs ?? []);

  it.skipIf(!LONG)("produces the same outputs as runNotebook", async () => {
    const sources = [
      "import { openArchive } from 'archive-frames';\nconst archive = await openArchive({ announce: false });",
      "const frame = await archive.bills('budget', { maxItems: 3 });\nframe.select('id', 'billtitle')",
      "console.log('one');\nconsole.error('two');\nfor await (const batch of archive.scan.bills('budget').head(2)) console.log(batch.height)",
      `const shown = (globalThis as any)[Symbol.for("archive-frames.host")].display({ "text/plain": "first" });\nshown.update({ "text/plain": "second" });`,
      "shown.update({ 'text/plain': 'third' });",
    ];
    const { code, err } = await nbconvert("good", sources);
    expect(err).toContain("Writing");
    expect(code).toBe(0);
    const ours = await runNotebook(join(folder, "good.ipynb"), { kernel: builtKernel() });
    const texts = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (_, part) =>
          Array.isArray(part) && part.every((line) => typeof line === "string") ? part.join("") : part,
        ),
      );
    expect(texts(outputs("good.out.ipynb"))).toEqual(texts(ours.cells.map((cell) => cell.outputs ?? [])));
    expect(ours.cells[3]?.outputs?.[0]).toMatchObject({ data: { "text/plain": "third" } });
  });

  it.skipIf(!LONG)("fails if a cell fails, and shows its error", async () => {
    const { code, err } = await nbconvert("bad", ["1", "throw new RangeError('too far')", "2"]);
    expect(code).toBe(1);
    expect(err).toContain("RangeError: too far");
    expect(err).toContain("cell 2:1:7");
  });

  it.skipIf(!LONG)("loses no cell with --allow-errors", async () => {
    const sources = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? `throw new Error('${at}')` : `${at}`));
    const { code } = await nbconvert("allowed", sources, "--allow-errors");
    expect(code).toBe(0);
    const shown = ({ ename, data }: Record<string, unknown>) => ename ?? data;
    const value = (text: string) => ({ "text/plain": [text] });
    expect(outputs("allowed.out.ipynb").map(([first]) => shown(first ?? {}))).toEqual([
      "Error",
      value("1"),
      "Error",
      value("3"),
      "Error",
      value("5"),
      "Error",
      value("7"),
    ]);
  });

  // In `npm test`, interrupt.test.ts interrupts the same cells, and notebook/jupyter.test.ts presses Jupyter's stop button.
  it.skipIf(!LONG)("interrupts a cell after the timeout and continues", async () => {
    const loop = "await null;\nfor (;;) {}";
    // Interrupting the previous cell uses up part of the last cell's timeout.
    const stop = [
      "--ExecutePreprocessor.timeout=8",
      "--ExecutePreprocessor.interrupt_on_timeout=True",
      "--allow-errors",
    ];
    const { code } = await nbconvert("slow", ["await new Promise(() => {})", loop, "'after'"], ...stop);
    expect(code).toBe(0);
    expect(outputs("slow.out.ipynb")).toMatchObject([
      [{ ename: "InterruptedError" }],
      [{ ename: "InterruptedError" }],
      [{ data: { "text/plain": ["after"] } }],
    ]);
  });
});
