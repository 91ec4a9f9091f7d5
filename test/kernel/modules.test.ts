import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { useKernel, useSharedKernel, writePackage } from "./kernels.js";

describe("a notebook outside every project", () => {
  const kernel = useSharedKernel();
  let folder: string;
  beforeAll(async () => {
    folder = JSON.parse((await kernel.value("JSON.stringify(process.cwd())")) as string);
  });

  it("finds this package, its entry points, polars and Node, with their types", async () => {
    const cell = `import { ArchiveClient, openArchive, pl, type PolarsFrame } from "archive-frames";
import { startEmbeddedArchive } from "archive-frames/embedded";
import { show } from "archive-frames/notebook";
import polars from "nodejs-polars";
import { readFileSync } from "node:fs";
const size: number = readFileSync(process.execPath).length + polars.DataFrame({ a: [1] }).height;
const found = [typeof startEmbeddedArchive, typeof show, typeof Buffer, typeof URL];
const typed = pl.DataFrame({ a: [1] });
const client = await openArchive({ announce: false });
const bills = await client.bills("budget", { maxItems: 2 });
const scan = client.scan.bills("budget");`;
    expect(await kernel.told(cell)).toBe("");
    for (const [code, message] of [
      ["new ArchiveClient({ timeout: 'soon' })", "Type 'string' is not assignable to type 'number'"],
      ["typed.nothing", "Property 'nothing' does not exist"],
      ["bills.nothing", "Property 'nothing' does not exist on type 'PolarsFrame"],
      ["scan.nothing", "Property 'nothing' does not exist on type 'ArchiveScan"],
    ] as const)
      expect(await kernel.told(code)).toContain(message);
  });

  // Dependencies of the library must not be visible either.
  it.each(["import x from 'not-installed-anywhere';", "require('not-installed-anywhere')", "require('lucene')"])(
    "does not find packages that are not installed: %s",
    async (code) => {
      expect(await kernel.trace(code)).toContain("Cannot find module");
    },
  );

  it("can import local TypeScript, which can import packages", async () => {
    writeFileSync(
      join(folder, "columns.ts"),
      "import { pl } from 'archive-frames';\nimport { name } from './names';\nexport const column = pl.col(name);\n",
    );
    writeFileSync(join(folder, "names.ts"), "export const name: string = 'first';\n");
    expect(await kernel.value("import { column } from './columns';\nString(column)")).toContain("first");
  });

  it("reports a type error in a local module only in the cells that import it", async () => {
    writeFileSync(join(folder, "between.ts"), "export { size } from './faulty';\n");
    writeFileSync(join(folder, "faulty.ts"), "export const size: number = 'large';\n");
    expect(await kernel.told("import { size } from './between';\nsize")).toContain(
      "faulty.ts 1:14 - Type 'string' is not assignable to type 'number'",
    );
    expect(await kernel.value("1 + 1")).toBe("2");
  });
});

describe("a notebook in a project", () => {
  const folder = temporaryFolder();
  for (const [name, text] of [
    ["helper-of-the-project", "exports.answer = 42;"],
    ["archive-frames", "throw new Error('another copy');"],
    ["needs-its-own", "exports.version = require('nodejs-polars');"],
    ["needs-its-own/node_modules/nodejs-polars", "module.exports = 'its own polars';"],
  ] as const) {
    const types = "export declare const answer: number;\nexport declare const version: string;\n";
    writePackage(join(folder, "node_modules", name), text, types);
  }
  mkdirSync(join(folder, "notebooks"));
  const kernel = useKernel({}, join(folder, "notebooks"));

  it("finds the packages of the project, whose dependencies are theirs, but uses the kernel's archive-frames", async () => {
    expect(await kernel.value("import { answer } from 'helper-of-the-project';\nanswer")).toBe("42");
    expect(await kernel.value("import { version } from 'needs-its-own';\nversion")).toBe("its own polars");
    await kernel.value("import { pl } from 'archive-frames';\npl.DataFrame({ a: [1] })");
  });
});
