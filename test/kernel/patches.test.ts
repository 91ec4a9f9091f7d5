import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { useKernel, useSharedKernel, writePackage } from "./kernels.js";

/** One test for each function of Node, TypeScript or tslab that the kernel replaces. */
describe("the patch of", () => {
  const kernel = useSharedKernel();

  it("setImmediate keeps its arguments, its promise and what cancels it, in every import", async () => {
    const code = `import { setImmediate as imported } from "node:timers";
import { promisify } from "node:util";
const seen: unknown[] = [];
clearImmediate(setImmediate(() => seen.push("cancelled")));
imported((value: string) => seen.push(value), "argument");
seen.push(imported === setImmediate, await promisify(setImmediate)("promised"));
await new Promise(setImmediate);
seen`;
    expect(await kernel.value(code)).toBe("[ 'argument', true, 'promised' ]");
  });

  it("standard streams prints into the cell", async () => {
    const { text } = await kernel.run(`process.stdout.write(Buffer.from("bytes\\n")); process.emitWarning("careful");
await new Promise(setImmediate);`);
    expect([text("stdout"), text("stderr")]).toEqual(["bytes\n", "Warning: careful\n"]);
  });

  it("Node's modules finds this package and polars, also for require", async () => {
    expect(await kernel.value("require('archive-frames').pl === require('nodejs-polars').default")).toBe("true");
  });

  it("TypeScript's options has the current library", async () => {
    expect(await kernel.told("const sorted: number[] = [1].toSorted();")).toBe("");
  });

  it("TypeScript's diagnostics runs cells with type errors", async () => {
    const { value, of } = await kernel.run("const wrong: string = 1;\nwrong");
    expect(value?.["text/plain"]).toBe("1");
    expect(JSON.stringify(of("display_data"))).toContain("1:7 - Type 'number' is not assignable to type 'string'.");
  });

  it("TypeScript's transpiler has positions of the cell as typed", async () => {
    expect(await kernel.trace("interface Removed { a: 1 }\n\nthrow new Error('here')")).toMatch(/at cell \d+:3:7$/);
  });
});

describe("the patch of TypeScript's watchers", () => {
  const root = temporaryFolder();
  // TypeScript watches no directory near the root.
  const folder = join(root, "home/me/study");
  mkdirSync(folder, { recursive: true });
  const kernel = useKernel({}, folder);

  it("finds a package and a file that were added after a failed import", async () => {
    const cells = ['import { answer } from "late";\nanswer', 'import { name } from "./late";\nname'];
    for (const cell of cells) expect(await kernel.trace(cell)).toContain("Cannot find module");
    writePackage(join(folder, "node_modules/late"), "exports.answer = 42;", "export declare const answer: number;");
    writeFileSync(join(folder, "late.ts"), "export const name: string = 'late';");
    expect(await kernel.value(cells[0] as string)).toBe("42");
    expect(await kernel.value(cells[1] as string)).toBe("late");
  });
});
