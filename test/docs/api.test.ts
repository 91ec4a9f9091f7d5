import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ArchiveClient } from "../../src/index.js";
import { ArchiveScan } from "../../src/scan/archiveScan.js";
import { apiIndex, apiPages, columnMeanings, MARKER } from "./apiPage.js";
import { habitsPage } from "./habitsPage.js";
import { headingsOf, ROOT, readText } from "./markdown.js";
import { ENTRY_POINTS, publicApi } from "./publicApi.js";
import { ts } from "./typescript.js";

const INDEX = "src/API.md";
/** Written by hand, but for the first. */
const GUIDES = ["from-pandas", "facts", "other-tools", "recipes", "schedules"].map((name) => `src/api/${name}.md`);
const MEANINGS = "src/service/operations/meanings.json";

describe("the API reference", () => {
  const pages = apiPages();
  const page = [...pages.values()].join("\n");
  const paths = [...pages.keys(), ...GUIDES].sort();
  const files = new Map([...pages, [MEANINGS, columnMeanings()], ["src/api/from-pandas.md", habitsPage()]]);
  beforeAll(() => {
    const intro = readText(INDEX).split(MARKER)[0];
    files.set(INDEX, `${intro}${MARKER}\n\n${apiIndex(pages)}`);
    if (process.env.UPDATE_DOCS !== "1") return;
    for (const [path, text] of files) writeFileSync(join(ROOT, path), text);
  });

  it("is up to date", () => {
    for (const [path, text] of files) expect(readText(path), `${path} is stale. Run: npm run docs`).toBe(text);
    expect(
      readdirSync(join(ROOT, "src/api"))
        .map((name) => `src/api/${name}`)
        .sort(),
    ).toEqual(paths);
  });

  it("is short, with an index of one screen", () => {
    const words = paths.flatMap((path) => readText(path).trim().split(/\s+/));
    expect(words.length).toBeLessThanOrEqual(19_000);
    const lines = (path: string) => readText(path).split("\n").length;
    expect([...pages.keys()].filter((path) => path !== "src/api/archive-frames.md" && lines(path) > 600)).toEqual([]);
    expect(lines(INDEX)).toBeLessThan(50);
  });

  it.each(["Errors", "Limits", "Provenance"])("has one heading %s, which the index links", (title) => {
    const having = paths.filter((path) => headingsOf(readText(path)).some((heading) => heading.title === title));
    expect(having.length).toBe(1);
    expect(readText(INDEX)).toContain(`(${having[0]?.replace("src/", "")}#${title.toLowerCase()})`);
  });

  it("has no empty section", () => {
    const empty = paths.flatMap((path) => {
      const blocks = readText(path)
        .replace(/^```[\s\S]*?^```/gm, "code")
        .split(/\n\n+/);
      const levels = blocks.map((block) => /^#+(?= )/.exec(block)?.[0].length ?? Number.POSITIVE_INFINITY);
      return blocks.filter((_block, at) => Number.isFinite(levels[at]) && (levels[at + 1] ?? 0) <= (levels[at] ?? 0));
    });
    expect(empty).toEqual([]);
  });

  it.each(Object.entries(ENTRY_POINTS))("describes every export of %s", (_entryPoint, path) => {
    const names = exportedNames(path);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !new RegExp(`^(#+ |- |.* Type of a row: .*)\`${name}\``, "m").test(page))).toEqual(
      [],
    );
  });

  it.each([
    ["verb of a scan", ArchiveScan],
    ["method of the client", ArchiveClient],
  ])("describes every %s", (_what, { prototype }) => {
    const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !new RegExp(`\`(archive\\.)?${name}[(\`:]`).test(page))).toEqual([]);
  });

  it("explains every error code", () => {
    const source = readText("src/errors/errorCode.ts");
    const declared = [...new Set([...source.matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code))];
    const section = /^### `ErrorCode`$[^#]*/m.exec(page)?.[0] ?? "";
    const explained = [...section.matchAll(/^- `([A-Z_]+)`: /gm)].map(([, code]) => code);
    expect(declared.length).toBeGreaterThan(30);
    expect(explained.toSorted()).toEqual(declared.toSorted());
  });

  it("leaves no export, and no member of one, without a comment", () => {
    const empty = publicApi.flatMap(({ name, doc, members }) =>
      [{ name, doc }, ...members.map((member) => ({ name: `${name}.${member.name}`, doc: member.doc }))]
        .filter((one) => one.doc === "")
        .map((one) => one.name),
    );
    expect(empty, "add a doc comment to each of these").toEqual([]);
  });
});

/** The names that an index re-exports, read from its export lists, and from the modules that it exports as a whole. */
function exportedNames(path: string): string[] {
  const source = ts.createSourceFile(path, readText(path), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ? [node.name.text] : [];
    if (!ts.isExportDeclaration(node)) return [];
    if (!node.exportClause && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
      return exportedNames(join(dirname(path), node.moduleSpecifier.text.replace(/js$/, "ts")));
    if (!node.exportClause || !ts.isNamedExports(node.exportClause)) return [];
    return node.exportClause.elements.map(({ name }) => name.text);
  });
}
