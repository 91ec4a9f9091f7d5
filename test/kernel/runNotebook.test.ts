import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { type Notebook, type NotebookError, type RunOptions, runNotebook } from "archive-frames/notebook";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { readNotebook, writeNotebook } from "../notebook/notebookFiles.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { BEGUN, HOST, kernelEnv, notebook } from "./kernels.js";

const cwd = temporaryFolder();

const run = (given: Notebook | string, options: RunOptions = {}) =>
  runNotebook(given, { env: kernelEnv(), ...options });
const failureOf = (given: Notebook, options?: RunOptions) =>
  run(given, options).then(
    () => undefined,
    (error: unknown) => error as NotebookError,
  );

const slowClient = ({ baseUrl }: { readonly baseUrl: string }) => `import { ArchiveClient } from "archive-frames";
const slow = new ArchiveClient({ apiKey: "test", baseUrl: ${JSON.stringify(baseUrl)} });`;

const KILL = 'await new Promise((resolve) => setTimeout(resolve, 100)); process.kill(process.pid, "SIGKILL")';

describe("runNotebook", () => {
  it("runs all cells, leaves its argument unchanged, and removes progress, so that runs are comparable", async () => {
    await using server = await startScriptedServer((_, index) => ({
      body: { bills: [{ id: index }], ...(index < 5 ? { cursor: `c${index}` } : {}) },
      ...(index === 2 ? { status: 429, headers: { "retry-after": "1" } } : {}),
    }));
    const slow = `${slowClient(server)}
console.log("before");
const frame = await slow.bills("budget", { maxItems: 200 });
console.log("after");
frame.height`;
    const given = notebook("# Title", "const a = 1;\nconsole.log('one');\nconsole.log('two');\na", "", "a + 1", slow);
    const before = structuredClone(given);
    const progress: string[] = [];
    const result = await run(given, {
      onOutput: ({ data }, index) => {
        if (index === 4) progress.push(String((data as Record<string, unknown> | undefined)?.["text/plain"]));
      },
    });
    expect(given).toEqual(before);
    const value = (execution_count: number, text: string) => {
      return { output_type: "execute_result", execution_count, data: { "text/plain": text }, metadata: {} };
    };
    const printed = (text: string) => ({ output_type: "stream", name: "stdout", text });
    expect(result.cells.map(({ id, execution_count, outputs }) => [id, execution_count, outputs])).toEqual([
      ["cell-0", undefined, undefined],
      ["cell-1", 1, [printed("one\ntwo\n"), value(1, "1")]],
      ["cell-2", null, []],
      ["cell-3", 2, [value(2, "2")]],
      ["cell-4", 3, [printed("before\nafter\n"), value(3, "5")]],
    ]);
    expect(result.metadata).toMatchObject({ title: "kept", language_info: { name: "typescript" } });
    expect(progress).toContainEqual(expect.stringMatching(/waiting 1 s/));
    expect(progress).toContainEqual(
      expect.stringMatching(/^bills budget · 5 rows in 5 pages, 6 requests, \d+ s · complete$/),
    );
  });

  it("applies display updates of later cells, fills headings, and leaves the file of a run with parameters as it was", async () => {
    const path = join(cwd, "parameters.ipynb");
    const update = "shown.update({ 'text/plain': name });";
    const defaults = "// tags: parameters\nlet name = 'default';";
    writeNotebook(path, notebook("# {{name}}", defaults, `${HOST}const shown = host.display({});`, update));
    const before = readFileSync(path, "utf8");
    const { cells } = await run(path, { parameters: { name: "chosen" } });
    expect(cells[0]?.source).toBe("# chosen");
    expect(cells[3]?.outputs).toEqual([
      { output_type: "display_data", data: { "text/plain": "chosen" }, metadata: {} },
    ]);
    expect(readFileSync(path, "utf8")).toBe(before);
    const home = homedir();
    for (const output of [path, `~/${relative(home, path)}`])
      await expect(run(path, { parameters: { name: "x" }, output })).rejects.toThrow(/invalid output/);
    expect(JSON.stringify(await run(notebook("process.cwd()"), { cwd }))).toContain(cwd);
  });

  it.each([
    ["await new Promise(() => {})", 600_000],
    // Nothing interrupts it, so its kernel is killed.
    ["for (;;) {}", 603_000],
  ])("stops a cell after the timeout: %s", async (endless, ms) => {
    await using server = await startScriptedServer((_, index) =>
      index === 0 ? { status: 429, headers: { "retry-after": "1" } } : { hang: true },
    );
    const searching = `${slowClient(server)}
void slow.bills("budget").catch(() => undefined);
await new Promise((resolve) => setTimeout(resolve, 300));
${BEGUN} ${endless}`;
    // Outputs move the clock: how long the kernel takes to load TypeScript does not matter.
    const onOutput: RunOptions["onOutput"] = (output, index) => {
      if (!JSON.stringify(output).includes("begun")) return;
      if (index === 0) vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      else vi.advanceTimersByTime(ms).useRealTimers();
    };
    const error = await failureOf(notebook(BEGUN, searching), { timeout: 600, onOutput });
    expect(error).toMatchObject({ name: "ArchiveError", code: "CELL_TIMEOUT", index: 1 });
    // No progress bar is left: two runs would differ.
    const { outputs } = error?.notebook?.cells[1] ?? {};
    expect(outputs?.map(({ output_type }) => output_type)).toEqual(["display_data", "error"]);
  });

  it.each([
    ["throw new RangeError('x')", "CELL_FAILED", "RangeError", 'Cell 2 (cell-1), "// two", failed with RangeError'],
    ["process.exit(3)", "KERNEL_DIED", "ArchiveError", "The kernel exited unexpectedly (exit code 3)"],
    [KILL, "KERNEL_DIED", "ArchiveError", "The kernel exited unexpectedly (SIGKILL)"],
  ])("stops at a cell that fails or ends the kernel, and keeps all outputs: %s", async (end, code, ename, text) => {
    const output = join(cwd, "failed.ipynb");
    const expected = "// tags: raises-exception\nconsole.log('an hour'); throw new Error('expected')";
    const error = await failureOf(notebook(expected, `// two\nconsole.log('of work'); ${end}`, "'never'"), { output });
    expect(error).toMatchObject({ code, index: 1, message: expect.stringContaining(text) });
    expect(error?.notebook?.cells).toMatchObject([
      { outputs: [{ text: "an hour\n" }, { output_type: "error", evalue: "expected" }] },
      { outputs: [{ text: "of work\n" }, { output_type: "error", ename }] },
      { outputs: [], execution_count: null },
    ]);
    expect(readNotebook(output).cells[1]?.outputs).toMatchObject([{ text: ["of work\n"] }, { ename }]);
    expect(JSON.stringify(error)).not.toContain("nbformat");
  });

  it("writes the notebook after every cell, and an aborted one", async () => {
    const output = join(cwd, "written.ipynb");
    const stop = new AbortController();
    const seen: unknown[] = [];
    const given = notebook("console.log('one'); 1", "console.log('two'); await new Promise(() => {})");
    const running = run(given, {
      output,
      signal: stop.signal,
      onOutput: ({ output_type }, index) => {
        if (index === 0 || output_type !== "stream") return;
        seen.push(...readNotebook(output).cells.map(({ outputs }) => outputs?.length));
        stop.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    expect(seen).toEqual([2, 0]);
    expect(readNotebook(output).cells[1]?.outputs).toMatchObject([{ text: ["two\n"] }, { output_type: "error" }]);
    await expect(run(notebook("1"), { output: join(output, "below-a-file.ipynb") })).rejects.toMatchObject({
      name: "ArchiveError",
    });
  });

  it.each([
    [{ timeout: 0 }, /invalid timeout/],
    [{ timout: 5 }, /Did you mean timeout/],
    [{ allowErrors: "yes" }, /invalid allowErrors/],
    [{ signal: {} }, /invalid signal/],
    [{ output: "" }, /invalid output/],
    [{ parameters: { year: 1 } }, /invalid parameter/],
  ])("rejects %j before it starts a kernel", async (options, message) => {
    await expect(run(notebook("1"), options as RunOptions)).rejects.toThrow(message);
  });

  it("rejects anything but a TypeScript notebook", async () => {
    await expect(run({ cells: [] } as unknown as Notebook)).rejects.toThrow(/format 4/);
    const python = { ...notebook("print(1)"), metadata: { kernelspec: { name: "python3", language: "python" } } };
    await expect(runNotebook(python)).rejects.toThrow(
      /invalid language of the notebook: "python". Give a TypeScript notebook/,
    );
  });
});
