import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { FORMATS, type OperationName, operations } from "../../src/index.js";
import { isSearch } from "../../src/service/operations/operations.js";
import { ROOT } from "./markdown.js";

const ENTRIES = ["index", "notebook/index", "embedded/index", "members/index", "corpus/index", "fleet/index"].map(
  (name) => `src/${name}.ts`,
);
/** Code as a user types it: a call of every operation with all of its parameters, and a row of it with all columns. */
const USAGE = join(ROOT, "test/docs/usage.virtual.ts");

/** The options of every call, with values. */
const OPTIONS = { format: '"csv"', engine: '"polars"', signal: "undefined", unchecked: "true" };

/** Calls by which the type of their options is shown under one name, and the name. */
const NAMED: ReadonlyArray<readonly [call: string, name: string]> = [
  ['archive./*?*/bills("x")', "BillsOptions<"],
  ['archive./*?*/mentions("x")', "MentionsOptions<"],
  ["archive./*?*/people({ })", "PeopleOptions<"],
  ['archive./*?*/programsSearch("x")', "ProgramsSearchOptions<"],
  ["archive./*?*/person(1)", "ResultOptions<"],
  ['archive./*?*/count("mentions", "x", { by: "month" })', "CountByOptions<"],
  ['archive./*?*/sample("mentions", "x", { rows: 1 })', "SampleArguments<"],
  ['archive./*?*/speechesOnBill({ title: "x" })', "OneBillArguments<"],
  ['archive.scan./*?*/mentions("x")', "ScanParameters<"],
];

/** Calls in which something is completed. */
const EMPTY = 'archive.mentions("x", { /*|*/ })';
const VALUE = 'archive.mentions("x", { format: "csv" })';

const FRAME_ROW = '({} as FrameRow<"mentions">)./*FrameRow*/begintime;';

const usage = usageOf();
const service = languageService();
const program = service.getProgram() as ts.Program;
const checker = program.getTypeChecker();

describe("on hover", () => {
  it("every member, method and function that the package exports is documented", () => {
    const empty = exportedSymbols()
      .filter(({ symbol }) => hoverAtDeclaration(symbol) === "")
      .map(({ name }) => name);
    expect([...new Set(empty)], "add a doc comment to each of these").toEqual([]);
  });

  const names = Object.keys(operations) as OperationName[];

  it.each(names)("the parameters of %s say what they are, as the table of operations does", (operation) => {
    for (const [name, { note }] of Object.entries(operations[operation].parameters)) {
      const text = hoverInUsage(`/*${operation}.${name}*/`);
      const start = note.charAt(0).toUpperCase() + note.slice(1);
      expect(
        text.replace(/\s+/g, " ").startsWith(start),
        `${operation}.${name}: "${text}" begins with "${start}"`,
      ).toBe(true);
    }
  });

  it.each(names)("the columns of a row of %s say what they hold", (operation) => {
    const empty = Object.keys(operations[operation].columns).filter(
      (name) => hoverInUsage(`/*row of ${operation}.${name}*/`) === "",
    );
    expect(empty).toEqual([]);
  });

  it.each(names)("the options of %s say what they do", (operation) => {
    const options = [...Object.keys(OPTIONS), ...(isSearch(operation) ? ["maxItems"] : [])];
    const empty = options.filter((name) => hoverInUsage(`/*${operation}.${name}*/`) === "");
    expect(empty).toEqual([]);
  });
});

describe("the options of a call", () => {
  it.each(NAMED)("%s have a name", (call, name) => {
    const info = service.getQuickInfoAtPosition(USAGE, positionIn(call, "/*?*/"));
    const shown = ts.displayPartsToString(info?.displayParts);
    expect(shown).toContain(name);
    expect(shown).not.toMatch(/Omit<|Pick<|\{/);
  });

  it.each([
    ["format", "format?: Format | undefined"],
    ["engine", "engine?: Engine | undefined"],
    ["maxItems", "maxItems?: number | undefined"],
  ])("show the type of %s before it is typed", (name, type) => {
    const at = positionIn(EMPTY, "/*|*/");
    const entry = service.getCompletionEntryDetails(USAGE, at, name, undefined, undefined, undefined, undefined);
    expect(ts.displayPartsToString(entry?.displayParts)).toContain(type);
    expect(ts.displayPartsToString(entry?.documentation)).not.toBe("");
  });

  it("the columns of a FrameRow say what they hold", () => {
    expect(hoverAt(USAGE, usage.indexOf("begintime", usage.indexOf("/*FrameRow*/")))).toContain("Start of the mention");
  });

  it("complete the values of format", () => {
    const { entries = [] } = service.getCompletionsAtPosition(USAGE, positionIn(VALUE, '"csv') + 1, undefined) ?? {};
    expect(entries.map(({ name }) => name).sort()).toEqual([...FORMATS].sort());
  });
});

function positionIn(call: string, marker: string): number {
  const at = usage.indexOf(call);
  if (at < 0) throw new Error(`no ${call} in the usage`);
  return at + call.indexOf(marker) + (marker.startsWith("/*") ? marker.length : 0);
}

function usageOf(): string {
  const lines = [
    'import type { ArchiveClient, FrameRow, RowOf } from "../../src/index.js";',
    "declare const archive: ArchiveClient;",
  ];
  for (const operation of Object.keys(operations) as OperationName[]) {
    const { parameters, columns } = operations[operation];
    const object = (members: Readonly<Record<string, string>>) =>
      `{ ${Object.entries(members)
        .map(([name, value]) => `/*${operation}.${name}*/${name}: ${value}`)
        .join(", ")} }`;
    const values = Object.fromEntries(
      Object.entries(parameters).map(([name, { required }]) => [name, required ? '"1"' : "undefined"]),
    );
    lines.push(`archive.save("${operation}", "out/", ${object(values)});`);
    lines.push(`archive.${operation}("1", ${object(isSearch(operation) ? { ...OPTIONS, maxItems: "5" } : OPTIONS)});`);
    lines.push(`declare const ${operation}Row: RowOf<"${operation}">;`);
    for (const name of Object.keys(columns)) lines.push(`${operation}Row./*row of ${operation}.${name}*/${name};`);
  }
  return [...lines, ...NAMED.map(([call]) => `${call};`), `${EMPTY};`, `${VALUE};`, FRAME_ROW].join("\n");
}

function languageService(): ts.LanguageService {
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const read = (path: string) =>
    path === USAGE ? usage : ts.sys.fileExists(path) ? readFileSync(path, "utf8") : undefined;
  return ts.createLanguageService({
    getScriptFileNames: () => [...ENTRIES.map((entry) => join(ROOT, entry)), USAGE],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => ({ ...options, noEmit: true }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === USAGE || ts.sys.fileExists(path),
    readFile: read,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
}

function hoverAt(file: string, position: number): string {
  const info = service.getQuickInfoAtPosition(file, position);
  return ts.displayPartsToString(info?.documentation ?? []).trim();
}

function hoverInUsage(marker: string): string {
  const at = usage.indexOf(marker);
  if (at < 0) throw new Error(`no ${marker} in the usage`);
  return hoverAt(USAGE, at + marker.length);
}

/** The longest documentation of the declarations of a symbol: of overloads, one that is documented is enough. */
function hoverAtDeclaration(symbol: ts.Symbol): string {
  const texts = (symbol.declarations ?? []).map((declaration) => {
    const name = ts.getNameOfDeclaration(declaration);
    return name === undefined ? "" : hoverAt(declaration.getSourceFile().fileName, name.getStart());
  });
  return texts.sort((a, b) => b.length - a.length)[0] ?? "";
}

interface Documentable {
  readonly name: string;
  readonly symbol: ts.Symbol;
}

/** The exports, and the members of exported interfaces, object types and classes. */
function exportedSymbols(): Documentable[] {
  return ENTRIES.flatMap((entry) => {
    const file = program.getSourceFile(join(ROOT, entry)) as ts.SourceFile;
    const module = checker.getSymbolAtLocation(file) as ts.Symbol;
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = (exported.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(exported) : exported;
      return isOurs(symbol) ? [{ name: exported.name, symbol }, ...membersOf(exported.name, symbol)] : [];
    });
  });
}

function membersOf(owner: string, symbol: ts.Symbol): Documentable[] {
  const types: ts.Type[] = [];
  if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class)) !== 0) {
    types.push(checker.getDeclaredTypeOfSymbol(symbol));
  }
  const parts = types.flatMap((type) => (type.isUnion() ? type.types : [type]));
  return parts
    .filter((type) => (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0)
    .flatMap((type) => checker.getPropertiesOfType(type))
    .filter((member) => isOurs(member) && !member.name.startsWith("__@"))
    .map((member) => ({ name: `${owner}.${member.name}`, symbol: member }));
}

/** Declared in src, and not in a library or as a private member. */
function isOurs({ declarations = [], name }: ts.Symbol): boolean {
  const isPrivate = name.startsWith("__#") || name.startsWith("#");
  return (
    !isPrivate &&
    declarations.length > 0 &&
    declarations.every((node) => node.getSourceFile().fileName.startsWith(join(ROOT, "src")))
  );
}
