import { readdirSync } from "node:fs";
import { join } from "node:path";
import type TS from "typescript";
import { describe, expect, it } from "vitest";
import { codeBlocks, markdownFiles, ROOT, readText } from "./markdown.js";
import { ts } from "./typescript.js";

/** A module of the type checker: a block of a Markdown file, or the cells of a notebook. */
interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

const markdown: Example[] = markdownFiles().flatMap((file) =>
  ["ts", "typescript"].flatMap((language) =>
    codeBlocks(readText(file), language).flatMap(({ code, line }) => examplesOf(code, line, file)),
  ),
);

/** Where a page shows several methods in one block, each has its own variables. */
function examplesOf(code: string, line: number, file: string): readonly Example[] {
  const names = [...code.matchAll(/^const (.+?) =/gm)].flatMap(([, declared = ""]) => declared.match(/\w+/g) ?? []);
  if (new Set(names).size === names.length) return [{ file, line, code }];
  const parts = code.split("\n\n");
  return parts.map((part, at) => {
    const before = parts.slice(0, at).join("\n\n");
    return { file, line: line + (at === 0 ? 0 : before.split("\n").length + 1), code: part };
  });
}

const notebooks: Example[] = readdirSync(join(ROOT, "notebooks"))
  .filter((name) => name.endsWith(".ipynb"))
  .map((name) => {
    const { cells } = JSON.parse(readText(`notebooks/${name}`)) as { cells: { cell_type: string; source: string[] }[] };
    const code = cells.filter(({ cell_type }) => cell_type === "code").map(({ source }) => source.join(""));
    return { file: `notebooks/${name}`, line: 1, code: code.join("\n") };
  });

/** What an example may use without creating it, as the page around it says. */
const GIVEN: Readonly<Record<string, string>> = {
  archive: "ArchiveClient",
  ...Object.fromEntries("frame parties bills codes sample".split(" ").map((name) => [name, "pl.DataFrame"])),
  scan: "ArchiveScan",
  corpus: "Corpus",
  searches: "CorpusSearch[]",
  error: "ArchiveError",
  duckdb: "{ run(sql: string): Promise<unknown> }",
  book: "Codebook",
};

/** The entry point of each export of the package. */
const exported = new Map<string, string>();
for (const [entry, { types }] of Object.entries(
  (JSON.parse(readText("package.json")) as { exports: Record<string, { types?: string }> }).exports,
)) {
  if (types === undefined) continue;
  for (const [, list = ""] of readText(types).matchAll(/^export (?:type )?\{([^}]*)\}/gm))
    for (const [, name = ""] of list.matchAll(/(\w+)(?: as \w+)?,?/g))
      if (!exported.has(name)) exported.set(name, entry.replace(/^\./, "archive-frames"));
}

describe("every example", () => {
  it("of the Markdown files and the notebooks compiles strictly, word for word, and would fail with a type error", () => {
    const wrong = { file: "a.md", line: 7, code: 'await archive.bills("budget", { maxItems: "many" });' };
    expect(typeErrors([...markdown, ...notebooks, wrong])).toEqual([expect.stringMatching(/^a\.md, line 7: .*string/)]);
  });

  it("of the README compiles where an element may be undefined, too", () => {
    const ofReadme = markdown.filter(({ file }) => file === "README.md");
    expect(typeErrors(ofReadme, { ...OPTIONS, noUncheckedIndexedAccess: true })).toEqual([]);
  });
});

/** Type errors of modules. Names that an example takes for granted are imported or declared on its first line. */
function typeErrors(examples: readonly Example[], options = OPTIONS): string[] {
  const texts = examples.map(({ code }) => `export {}; ${code.replaceAll('"npm:', '"')}`);
  const first = diagnosticsOf(texts, options);
  texts.forEach((text, at) => {
    const missing = first.filter((each) => each.at === at).flatMap((each) => missingName(each) ?? []);
    const names = new Set(missing.flatMap((name) => [name, ...(GIVEN[name]?.match(/\w+/g) ?? [])]));
    texts[at] = [...names].map(declarationOf).join("") + text;
  });
  return diagnosticsOf(texts, options).map(({ at, line, message }) => {
    const { file, line: begin } = examples[at] as Example;
    return `${file}, line ${begin + line}: ${message}`;
  });
}

function missingName({ message }: { readonly message: string }): string | undefined {
  return /^(?:Cannot find name|No value exists in scope for the shorthand property) '(\w+)'/.exec(message)?.[1];
}

function declarationOf(name: string): string {
  if (GIVEN[name] !== undefined) return `declare const ${name}: ${GIVEN[name]}; `;
  return exported.has(name) ? `import { ${name} } from "${exported.get(name)}"; ` : "";
}

const OPTIONS: TS.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
};

/** The files that examples import, by path. */
const imported = new Map<string, TS.SourceFile | undefined>();

function diagnosticsOf(texts: readonly string[], options: TS.CompilerOptions) {
  const paths = texts.map((_text, at) => join(ROOT, `example-${at}.ts`));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.getCurrentDirectory = () => ROOT;
  host.fileExists = (path) => paths.includes(path) || fileExists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts[paths.indexOf(path)];
    if (text !== undefined) return ts.createSourceFile(path, text, version, true);
    if (!imported.has(path)) imported.set(path, getSourceFile(path, version, ...rest));
    return imported.get(path);
  };
  const program = ts.createProgram(paths, options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => ({
    at: paths.indexOf(file?.fileName ?? ""),
    line: file?.getLineAndCharacterOfPosition(start).line ?? 0,
    message: ts.flattenDiagnosticMessageText(messageText, " "),
  }));
}
