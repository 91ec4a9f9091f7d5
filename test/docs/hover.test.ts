import { readFileSync } from "node:fs";
import { join } from "node:path";
import type TS from "typescript";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../src/call/callOptions.js";
import type { OperationName } from "../../src/index.js";
import { operations } from "../service/operations.js";
import { ROOT } from "./markdown.js";
import { ts } from "./typescript.js";

/** Code as a user types it. */
const USAGE = join(ROOT, "test/docs/usage.virtual.ts");

/** Calls by which the type of their options is shown under one name, and the name. */
const NAMED: ReadonlyArray<readonly [call: string, name: string]> = [
  ['archive./*?*/bills("x")', 'SearchCallOptions<"bills"'],
  ['archive./*?*/mentions("x")', 'SearchCallOptions<"mentions"'],
  ["archive./*?*/people({ })", 'SearchCallOptions<"people"'],
  ['archive./*?*/programsSearch("x")', 'SearchCallOptions<"programsSearch"'],
  ["archive./*?*/person(1)", "ResultOptions<"],
  ['archive./*?*/count("mentions", "x", { by: "month" })', "CountByOptions<"],
  ['archive./*?*/sample("mentions", "x", { rows: 1 })', "SampleArguments<"],
  ['archive./*?*/speechesOnBill({ title: "x" })', "OneBillArguments<"],
  ['archive.scan./*?*/mentions("x")', "ScanParameters<"],
];

/** Calls in which something is completed. */
const EMPTY = 'archive.mentions("x", { /*|*/ })';
const VALUE = 'archive.mentions("x", { format: "csv" })';

const FRAME_ROW = '({} as FrameRow<"mentions">)./*FrameRow*/begintime';

const usage = `import type { ArchiveClient, FrameRow } from "../../src/index.js";
declare const archive: ArchiveClient;
${[...(Object.keys(operations) as OperationName[]).map(callOf), ...NAMED.map(([call]) => call), EMPTY, VALUE, FRAME_ROW].join(";\n")};`;
const service = languageService();

describe("on hover", () => {
  it.each(Object.keys(operations) as OperationName[])(
    "the parameters of a call of %s say what they are",
    (operation) => {
      for (const [name, { note }] of Object.entries(operations[operation].parameters)) {
        const text = hoverAt(positionIn(callOf(operation), `/*${name}*/`)).replace(/\s+/g, " ");
        expect(text.toLowerCase()).toContain(note.toLowerCase());
      }
    },
  );
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
    expect(hoverAt(positionIn(FRAME_ROW, "/*FrameRow*/"))).toContain("Start of the mention");
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

/** A call with all of its parameters. */
function callOf(operation: OperationName): string {
  const parameters = Object.entries(operations[operation].parameters).map(
    ([name, { required }]) => `/*${name}*/${name}: ${required ? '"1"' : "undefined"}`,
  );
  return `archive.save("${operation}", "out/", { ${parameters.join(", ")} })`;
}

function languageService(): TS.LanguageService {
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const read = (path: string) =>
    path === USAGE ? usage : ts.sys.fileExists(path) ? readFileSync(path, "utf8") : undefined;
  return ts.createLanguageService({
    getScriptFileNames: () => [USAGE],
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

function hoverAt(position: number): string {
  return ts.displayPartsToString(service.getQuickInfoAtPosition(USAGE, position)?.documentation);
}
