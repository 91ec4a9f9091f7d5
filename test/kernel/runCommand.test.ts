import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { temporaryFolder } from "../files/temporary.js";
import { readNotebook, writeNotebook } from "../notebook/notebookFiles.js";
import { FULL } from "../scale.js";
import { notebook } from "./kernels.js";

const folder = temporaryFolder();

const run = (...parameters: string[]) => command(folder, ["run", ...parameters]);
const write = (name: string, ...sources: string[]) => writeNotebook(join(folder, name), notebook(...sources));
const read = (name: string) => readNotebook(join(folder, name));

describe("archive-frames run", () => {
  it("writes the executed notebook beside the original and prints its path", async () => {
    write(
      "plain.ipynb",
      "// tags: parameters\nlet year = 2020;\nlet query = '';",
      "console.log('a');\nconsole.log('b');\nyear",
    );
    const before = readFileSync(join(folder, "plain.ipynb"), "utf8");
    const { status, stdout, stderr } = await run("plain.ipynb", "--param", "year=2024", "-p", "query=a=b");
    expect([status, stdout, stderr]).toEqual([0, `${join(folder, "plain.executed.ipynb")}\n`, ""]);
    expect(readFileSync(join(folder, "plain.ipynb"), "utf8")).toBe(before);
    const { cells, metadata } = read("plain.executed.ipynb");
    expect(cells[1]?.source).toEqual(["let year = 2024;\n", 'let query = "a=b";']);
    expect(cells[2]).toMatchObject({
      id: "cell-1",
      execution_count: 3,
      outputs: [{ text: ["a\n", "b\n"] }, { data: { "text/plain": ["2024"] } }],
    });
    expect(metadata).toMatchObject({ kernelspec: { name: "archive-frames" }, language_info: { name: "typescript" } });
  });

  // In `npm test`, the notebooks have these files.
  it.runIf(FULL)("accepts an output file (even the original), a report file, and allowed errors", async () => {
    write("report.ipynb", "'shown'", "throw new Error('allowed')", "let x: string = 1", "'after'");
    const files = ["-o", "report.ipynb", "--html", "report.html"];
    const { status, stdout } = await run("report.ipynb", ...files, "--allow-errors");
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toEqual([join(folder, "report.ipynb"), join(folder, "report.html")]);
    expect(read("report.ipynb").cells.map(({ execution_count }) => execution_count)).toEqual([1, 2, 3, 4]);
    expect(readFileSync(join(folder, "report.html"), "utf8")).toContain("shown");
  });

  it("reports the failed cell and writes the notebook so far", async () => {
    write("fails.ipynb", "1", "// the second\nthrow new Error('no good')", "'never'");
    const { status, stdout, stderr } = await run("fails.ipynb");
    expect(status).toBe(1);
    expect(stdout).toBe(`${join(folder, "fails.executed.ipynb")}\n`);
    expect(stderr).toMatch(/^Cell 2 \(cell-1\), "\/\/ the second", failed with Error: "no good"\.\nError: no good\n/);
    expect(stderr).not.toContain("\u001b");
    expect(read("fails.executed.ipynb").cells[1]?.outputs).toMatchObject([{ output_type: "error" }]);
  });

  it.each([
    [["missing.ipynb"], /The file does not exist/],
    [["plain.ipynb", "--param", "yaer=2"], /parameter of the notebook: "yaer"\. Did you mean year/],
    [["plain.ipynb", "--timeout", "soon"], /number of seconds/],
  ])("rejects %j with a clear message", async (parameters, words) => {
    const { status, stderr } = await callCommand(folder, ["run", ...parameters]);
    expect(status).toBe(1);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\.js:\d+/);
    expect(existsSync(join(folder, "missing.executed.ipynb"))).toBe(false);
  });
});
