import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkedBlock, typedBlock } from "./checkedBlock.js";
import { type CodeBlock, codeBlocks, markdownFiles, ROOT, readText } from "./markdown.js";

interface Example extends CodeBlock {
  readonly file: string;
}

const examples: Example[] = markdownFiles().flatMap((file) =>
  codeBlocks(readText(file), "ts").map((block) => ({ ...block, file })),
);

/** The working directory of the examples. */
const directory = mkdtempSync(join(tmpdir(), "archive-frames-docs-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(() => {
  if (!existsSync(join(ROOT, "dist/index.js")))
    throw new Error("the examples need the built package. Run: npm run build");
});

describe("the examples of the Markdown files", () => {
  it("exist", () => {
    expect(examples.filter(({ file }) => file === "README.md").length).toBeGreaterThan(5);
  });

  it.concurrent.each(examples)("$file, line $line, runs and returns what its comments say", async ({ code }) => {
    const { status, stderr } = await runModule(checkedBlock(code));
    expect(stderr.replace(/^archive-frames: .*\n/gm, "")).toBe("");
    expect(status).toBe(0);
  });

  it.concurrent.each([
    ["is different", "const two = 1 + 1; //=> 3", "line 1: 2, not 3"],
    ["is never reached", "if (Math.random() > 2) {\n  Math.abs(-1); //=> 1\n}", "line 2 was not reached"],
  ])("would fail if a result %s", async (_how, code, problem) => {
    const { status, stderr } = await runModule(checkedBlock(code));
    expect(stderr).toContain(problem);
    expect(status).toBe(1);
  });

  it("would fail if a result cannot be checked", () => {
    expect(() => checkedBlock("Math.random(); //=> a number")).toThrow(/is not a literal/);
    expect(() => checkedBlock("//=> 1")).toThrow(/follows no statement/);
  });

  it("leave the README short enough to be read", () => {
    expect(readText("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  });

  it("compile", () => {
    expect(typeErrors(examples)).toEqual([]);
  });
});

/** Runs a module as in a project that has the package installed, without a key. */
function runModule(code: string): Promise<{ status: number | null; stderr: string }> {
  const { ARCHIVE_API_KEY, CSPAN_API_KEY, ARCHIVE_BASE_URL, ...env } = process.env;
  return new Promise((resolve, reject) => {
    // From standard input, in the directory of the package, which can import itself by name.
    const child = spawn(process.execPath, ["--input-type=module", "-"], {
      cwd: ROOT,
      env,
      stdio: ["pipe", "ignore", "pipe"],
      timeout: 50_000,
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stderr }));
    child.stdin.end(`process.chdir(${JSON.stringify(directory)});${code}`);
  });
}

/** Type errors in the examples, each a module of its own. */
function typeErrors(blocks: readonly Example[]): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  const files = new Map(blocks.map((block, at) => [join(ROOT, `example-${at}.ts`), block]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.getCurrentDirectory = () => ROOT;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const block = files.get(path);
    if (block === undefined) return getSourceFile(path, version, ...rest);
    return ts.createSourceFile(path, typedBlock(block.code), version, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const block = file && files.get(file.fileName);
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + (block?.line ?? 1);
    return `${block?.file ?? file?.fileName}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}
