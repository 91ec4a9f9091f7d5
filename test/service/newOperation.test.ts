import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Program } from "typescript";
import { expect, it } from "vitest";
import { ts } from "../docs/typescript.js";
import { LONG } from "../scale.js";

const ROOT = process.cwd();
const options = ts.parseJsonConfigFileContent(ts.readConfigFile("tsconfig.json", ts.sys.readFile).config, ts.sys, ROOT);

type Edit = readonly [file: string, before: string, added: string];

/** What an operation with a limit takes: its interfaces and its entry in the table … */
const ENTRY: readonly Edit[] = [
  [
    "service/operations/operations.ts",
    "interface ParamsByOperation {",
    "\n  clips: { query: string; limit?: number; cursor?: string };",
  ],
  ["service/operations/operations.ts", "interface RowsByOperation {", "\n  clips: MentionRow;"],
  [
    "service/operations/operations.ts",
    "export const operations = {",
    `\n  clips: { path: "/clips", purpose: "Search clips.", noun: "clip", rows: "clips", columns: mention, first: "query",
      parameters: { query: phrase, limit: count("rows per page", 50), cursor } },`,
  ],
];
/** … and, named by the compiler, a method, a scan, and a handler of the embedded archive. */
const REST: readonly Edit[] = [
  [
    "client.ts",
    "#lastResult: AnyFetchedResult | undefined;",
    '\n  clips(query: string): Promise<unknown> { return this.#execute("clips", query, {}); }',
  ],
  ["scan/scans.ts", "export interface Scans<DE extends Engine> {", '\n  readonly clips: ScanOf<"clips", DE>;'],
  ["scan/scans.ts", "  return {", '\n    clips: scan("clips"),'],
  [
    "embedded/server/archive.ts",
    'Operations[OperationName]["path"], Operation>> = {',
    '\n    "/clips": (parameters) => this.#mentions(parameters),',
  ],
];

/** What a file has that may depend on which operations there are. */
const USES = /\b(?:OperationName|SearchName|OperationsWith|ParametersOf|RowOf|operations\.js)\b/;

let program: Program | undefined;

/** The files with errors after some edits, and what is wrong: of those that name operations, because checking all takes long. */
function errorsAfter(edits: readonly Edit[], pattern = USES): string[] {
  const host = ts.createCompilerHost(options.options);
  const read = host.readFile.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.readFile = (path) =>
    edits
      .filter(([file]) => join(ROOT, "src", file) === path)
      .reduce((text, [, before, added]) => text?.replace(before, () => `${before}${added}`), read(path));
  host.getSourceFile = (path, language, ...rest) => {
    const isEdited = edits.some(([file]) => join(ROOT, "src", file) === path);
    const known = isEdited ? undefined : program?.getSourceFile(path);
    if (known !== undefined) return known;
    return isEdited
      ? ts.createSourceFile(path, host.readFile(path) as string, language)
      : getSourceFile(path, language, ...rest);
  };
  const roots = ["index.ts", "embedded/index.ts"].map((file) => join(ROOT, "src", file));
  program = ts.createProgram({ rootNames: roots, options: { ...options.options, noEmit: true }, host });
  const current = program;
  const files = current
    .getSourceFiles()
    .filter(({ fileName, text }) => fileName.startsWith(join(ROOT, "src")) && pattern.test(text));
  return files
    .flatMap((file) => current.getSemanticDiagnostics(file))
    .map(({ file, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, " ");
      return `${relative(join(ROOT, "src"), file?.fileName ?? "")}: ${text}`;
    });
}

it.runIf(LONG)("an operation with a limit takes what the compiler names, and nothing else", () => {
  for (const [file, before] of [...ENTRY, ...REST])
    expect(readFileSync(join(ROOT, "src", file), "utf8")).toContain(before);
  const errors = errorsAfter(ENTRY);
  for (const file of new Set(REST.map(([file]) => file)))
    expect(errors.filter((error) => error.startsWith(file)).join("\n")).toContain("clips");
  expect(errors.filter((error) => !REST.some(([file]) => error.startsWith(file)))).toEqual([]);
  expect(errorsAfter([...ENTRY, ...REST])).toEqual([]);
  // An entry without interfaces, or the other way round, does not compile either.
  for (const half of [ENTRY.slice(0, 2), ENTRY.slice(2)])
    expect(errorsAfter(half, /^export const operations = /m).join("\n")).toMatch(/operations\.ts: .*clips/);
});
