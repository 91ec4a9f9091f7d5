import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtKernel, scratchDirectory, useKernel } from "./kernels.js";

describe("a notebook outside every project", () => {
  const folder = scratchDirectory();
  const kernel = useKernel(builtKernel(), folder);

  it.each([
    [
      "the types of Node",
      "import { readFileSync } from 'node:fs';\nconst size: number = readFileSync(process.execPath).length;\nconsole.log(typeof Buffer, typeof URL);",
    ],
    [
      "archive-frames",
      "import { ArchiveClient, openArchive, toRecords, provenanceOf, type PolarsFrame } from 'archive-frames';\ntypeof openArchive",
    ],
    [
      "its entry points",
      "import { startEmbeddedArchive } from 'archive-frames/embedded';\nimport { show } from 'archive-frames/notebook';\n[typeof startEmbeddedArchive, typeof show]",
    ],
    ["nodejs-polars", "import polars from 'nodejs-polars';\npolars.DataFrame({ a: [1] }).height"],
  ])("finds %s", async (_, code) => {
    expect((await kernel.run(code)).error).toBeUndefined();
  });

  it("has their types", async () => {
    const { error } = await kernel.run(
      "import { ArchiveClient } from 'archive-frames';\nnew ArchiveClient({ timeout: 'soon' })",
    );
    expect(error?.evalue).toContain("Type 'string' is not assignable to type 'number'");
    await kernel.run("import { pl, openArchive } from 'archive-frames';\nconst typed = pl.DataFrame({ a: [1] });");
    expect((await kernel.run("typed.nothing")).error?.evalue).toContain("Property 'nothing' does not exist");
    await kernel.run(
      "const client = await openArchive({ announce: false });\nconst bills = await client.bills('budget', { maxItems: 2 });\nconst scan = client.scan.bills('budget');",
    );
    expect((await kernel.run("bills.nothing")).error?.evalue).toContain(
      "Property 'nothing' does not exist on type 'PolarsFrame",
    );
    expect((await kernel.run("scan.nothing")).error?.evalue).toContain(
      "Property 'nothing' does not exist on type 'ArchiveScan",
    );
  });

  it("shares polars with the library", async () => {
    const { value, error } = await kernel.run(`import polars from "nodejs-polars";
import { pl as ours } from "archive-frames";
ours.DataFrame({ a: [1, 2] }).filter(polars.col("a").gt(1)).height + Number(polars === ours)`);
    expect(error).toBeUndefined();
    expect(value?.["text/plain"]).toBe("2");
  });

  it("does not find packages that are not installed", async () => {
    expect((await kernel.run("import x from 'not-installed-anywhere';")).error?.evalue).toContain("Cannot find module");
    expect((await kernel.run("require('not-installed-anywhere')")).error?.evalue).toContain("Cannot find module");
    // Dependencies of the library must not be visible either.
    expect((await kernel.run("require('lucene')")).error?.evalue).toContain("Cannot find module");
  });

  it("can import local TypeScript, which can import packages", async () => {
    writeFileSync(
      join(folder, "columns.ts"),
      "import { pl } from 'archive-frames';\nimport { name } from './names';\nexport const column = pl.col(name);\n",
    );
    writeFileSync(join(folder, "names.ts"), "export const name: string = 'first';\n");
    const { value, error } = await kernel.run("import { column } from './columns';\nString(column)");
    expect(error).toBeUndefined();
    expect(value?.["text/plain"]).toContain("first");
  });

  it("reports a type error in a local module only in the cells that import it", async () => {
    writeFileSync(join(folder, "between.ts"), "export { size } from './faulty';\n");
    writeFileSync(join(folder, "faulty.ts"), "export const size: number = 'large';\n");
    const { error } = await kernel.run("import { size } from './between';\nsize");
    expect(error?.evalue).toContain("faulty.ts 1:14 - Type 'string' is not assignable to type 'number'");
    expect((await kernel.run("1 + 1")).value?.["text/plain"]).toBe("2");
  });

  it("can define modules in cells, as in tslab", async () => {
    expect(
      (await kernel.run("/** @module shapes */\nexport const area = (a: number) => a * a;")).error,
    ).toBeUndefined();
    expect((await kernel.run("import { area } from './shapes';\narea(3)")).value?.["text/plain"]).toBe("9");
    expect((await kernel.run("/** @module wrong */\nexport const x: string = 1;")).error?.ename).toBe(
      "TypeScriptError",
    );
  });
});

describe("a notebook in a project", () => {
  const folder = scratchDirectory();
  for (const [name, text] of [
    ["helper-of-the-project", "exports.answer = 42;"],
    ["archive-frames", "throw new Error('another copy');"],
    ["needs-its-own", "exports.version = require('nodejs-polars');"],
    ["needs-its-own/node_modules/nodejs-polars", "module.exports = 'its own polars';"],
  ] as const) {
    const path = join(folder, "node_modules", name);
    mkdirSync(path, { recursive: true });
    writeFileSync(
      join(path, "package.json"),
      JSON.stringify({ name, version: "1.0.0", main: "index.js", types: "index.d.ts" }),
    );
    writeFileSync(join(path, "index.js"), text);
    writeFileSync(
      join(path, "index.d.ts"),
      "export declare const answer: number;\nexport declare const version: string;\n",
    );
  }
  mkdirSync(join(folder, "notebooks"));
  const kernel = useKernel(builtKernel(), join(folder, "notebooks"));

  it("finds the packages of the project", async () => {
    const { value } = await kernel.run("import { answer } from 'helper-of-the-project';\nanswer");
    expect(value?.["text/plain"]).toBe("42");
  });

  it("still uses the kernel's copy of archive-frames", async () => {
    const { error } = await kernel.run("import { pl } from 'archive-frames';\npl.DataFrame({ a: [1] })");
    expect(error).toBeUndefined();
  });

  it("does not affect the dependencies of packages", async () => {
    const { value } = await kernel.run("import { version } from 'needs-its-own';\nversion");
    expect(value?.["text/plain"]).toBe("its own polars");
  });
});
