import { readFileSync } from "node:fs";
import { join } from "node:path";
import type TS from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "./markdown.js";
import { sourceFiles } from "./sourceImports.js";
import { ts } from "./typescript.js";

/** What asks about a path without reading or changing what is there. */
const QUESTIONS = "existsSync lstatSync statSync fstatSync realpathSync readdirSync closeSync Stats WriteStream".split(
  " ",
);

/** Who else may read and write, and by which functions: all other modules go through `fs`. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  // Files of this package.
  "coding/codingPage.ts": "readFileSync",
  "members/legislators.ts": "readFileSync",
  "embedded/data.ts": "readFileSync",
  "pages/scanner.ts": "readFileSync",
  "util/version.ts": "readFileSync",
  "cli/notebooks.ts": "constants copyFileSync",
  // The file that Jupyter wrote for this kernel, before anything else is loaded.
  "kernel/protocol/connection.ts": "readFileSync",
  // Inside a directory that fs has made, or has checked. What is read there was written there.
  "corpus/database/database.ts": "chmodSync rmSync",
  "corpus/publish/exportCorpus.ts": "createReadStream",
  "corpus/publish/packageFiles.ts": "readFileSync",
  "corpus/publish/publishTables.ts": "renameSync rmSync",
  "corpus/run/commitQueue.ts": "rmSync",
  "corpus/run/runCorpus.ts": "rmSync",
  "corpus/withCorpus.ts": "rmSync",
  "cli/saveToOutput.ts": "createReadStream",
  "files/frameWriter.ts": "writeFile",
  "files/stagingDirectory.ts": "chmodSync fsyncSync mkdirSync openSync renameSync rmSync rmdirSync",
  "files/writeRows.ts": "createReadStream readFileSync writeFile",
  "files/package/fileResource.ts": "openSync",
  "responses/snapshots.ts": "unlinkSync",
  "responses/store.ts": "accessSync appendFileSync",
  "scan/spool.ts": "readFileSync writeFileSync",
  "scan/sinkScan.ts": "rmSync",
  "tables/columnarFiles.ts": "readFile",
  "tables/csvFile.ts": "readFile writeFile",
  "tables/jsonFile.ts": "readFile",
  "tables/receiveFile.ts": "createReadStream createWriteStream open readFile writeFile",
  "tables/tableFrame.ts": "readFile",
};

/** What a source file imports from node:fs, but for questions; "*" for all of it. */
function accessOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(join(ROOT, "src", path), "utf8"), ts.ScriptTarget.Latest, true);
  const names: string[] = [];
  const visit = (node: TS.Node): void => {
    if (ts.isStringLiteral(node) && /^(?:node:)?fs(?:\/promises)?$/.test(node.text)) {
      const bindings = ts.isImportDeclaration(node.parent) ? node.parent.importClause?.namedBindings : undefined;
      const isNamed = bindings !== undefined && ts.isNamedImports(bindings);
      names.push(...(isNamed ? bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text) : ["*"]));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names.filter((name) => !QUESTIONS.includes(name));
}

describe("files", () => {
  it("are read and written by fs, and by these", () => {
    const modules = sourceFiles().filter((path) => !path.startsWith("fs/"));
    const wrong = modules.flatMap((path) => {
      const allowed = EXCEPTIONS[path]?.split(" ") ?? [];
      return accessOf(path).flatMap((name) => (allowed.includes(name) ? [] : [`${path} imports ${name}`]));
    });
    expect(wrong).toEqual([]);
  });
});
