import Module, { createRequire } from "node:module";
import { Script } from "node:vm";
import { parentPort } from "node:worker_threads";
import type { Converter, Diagnostic as TslabDiagnostic } from "tslab/dist/converter.js";
import type * as TS from "typescript";
import { mapSharedPackages } from "../sharedPackages.js";
import type { Conversion, ConverterMethods, ConverterRequest, ConverterResponse, Diagnostic } from "./converter.js";
import { patchTypeScript } from "./patchTypeScript.js";

const require = createRequire(import.meta.url);

/** tslab's converter, extended with source maps and the kernel's own packages. */
function tslabConverter(): ConverterMethods {
  const original: typeof TS = require("typescript");
  mapSharedPackages(original.sys, original.sys.getCurrentDirectory());
  const { ts, check, takeMaps } = patchTypeScript(original);
  // tslab's own `require` finds the patched TypeScript in the module cache instead of its old one.
  const path = createRequire(require.resolve("tslab")).resolve("@tslab/typescript-for-tslab");
  require.cache[path] = Object.assign(new Module(path), { exports: ts, loaded: true });
  const { createConverter } = require("tslab/dist/converter.js") as typeof import("tslab/dist/converter.js");
  const { getCodeMetadata } = require("tslab/dist/metadata.js") as typeof import("tslab/dist/metadata.js");

  let converter: Converter = createConverter();
  /** After a failure inside TypeScript, the state of its watch program is unknown. */
  const withRecovery = <T>(use: (converter: Converter) => T): T => {
    try {
      return use(converter);
    } catch (error) {
      converter = createConverter();
      throw error;
    }
  };
  return {
    convert: (declarations, code, isTyped) =>
      withRecovery((converter) => {
        const metadata = getCodeMetadata(code);
        if (metadata.module !== undefined) {
          const found = converter.addModule(metadata.module, code, metadata);
          return { diagnostics: toDiagnostics(found, code), declarations };
        }
        const convert = (code: string, types: boolean): Conversion => {
          check.types = types;
          const result = converter.convert(declarations, withoutExports(original, code));
          return {
            diagnostics: toDiagnostics(result.diagnostics, code),
            output: result.output,
            declarations: result.declOutput ?? "",
            lastExpression: result.lastExpressionVar,
            maps: result.output === undefined ? undefined : takeMaps(result.output),
            modules: result.sideOutputs,
          };
        };
        const whole = convert(code, isTyped);
        const { diagnostics } = whole;
        if (diagnostics.length === 0) return whole;
        const untyped = check.canRun ? convert(code, false) : whole;
        if (untyped !== whole && isJavaScript(untyped.output)) return { ...untyped, warnings: diagnostics };
        const rest = setupOf(original, code);
        const setup = rest.trim() === "" ? undefined : convert(rest, true);
        return setup?.diagnostics.length === 0 ? { ...whole, setup } : whole;
      }),
    complete: (declarations, code, position) =>
      withRecovery((converter) => {
        const { start, end, candidates } = converter.complete(declarations, code, position);
        return { start, end, candidates };
      }),
    inspect: (declarations, code, position) =>
      withRecovery((converter) => converter.inspect(declarations, code, position) as unknown as string | undefined),
    isComplete: (code) => isComplete(original, code),
  };
}

function isJavaScript(output = ""): boolean {
  try {
    return Boolean(new Script(`(async function () {\n${output}\n})`));
  } catch {
    return false;
  }
}

/** Syntax errors: a string without its end, which no further line mends, and the first word of a statement. */
const UNTERMINATED_STRING = 1002;
const DECLARATION_EXPECTED = 1128;

/** The beginning of a statement that TypeScript accepts, or reports at its first word. */
const BEGINNING =
  /^(?:(?:export|import|export\s+(?:type|interface))|(?:export\s+)?(?:let|var|const(?:\s+(?!enum\b)[\w$]+(?:\s*:[^=;*]+)?)?))$/;

function isComplete(ts: typeof TS, code: string): ReturnType<ConverterMethods["isComplete"]> {
  // A module, so that `await` is a keyword. Behind a backslash, the string ends with the text, not with the line.
  const text = `export {};\n${code.replace(/(?<=\\)\n$/, "")}`;
  const file = ts.createSourceFile("cell.ts", text, ts.ScriptTarget.Latest);
  const [first] = (file as unknown as { readonly parseDiagnostics: TS.Diagnostic[] }).parseDiagnostics;
  const line = code.slice(code.lastIndexOf("\n") + 1);
  const isBegun =
    first === undefined
      ? BEGINNING.test(line.trim())
      : first.code === DECLARATION_EXPECTED && BEGINNING.test(text.slice(first.start).trim());
  if (first === undefined && !isBegun) return { status: "complete" };
  const isAtEnd = (first?.start ?? 0) >= text.trimEnd().length && first?.code !== UNTERMINATED_STRING;
  if (!isAtEnd && !isBegun) return { status: "invalid" };
  const [indent = ""] = line.match(/^\s*/) ?? [];
  return { status: "incomplete", indent: /[{([]\s*$/.test(line) ? `${indent}  ` : indent };
}

/** A cell with spaces instead of `export` before its declarations: the converter exports them all. */
function withoutExports(ts: typeof TS, code: string): string {
  if (!code.includes("export")) return code;
  const file = ts.createSourceFile("cell.ts", code, ts.ScriptTarget.Latest);
  const words = file.statements.flatMap((statement) => {
    const [first, second] = (ts.canHaveModifiers(statement) && ts.getModifiers(statement)) || [];
    const isExport = first?.kind === ts.SyntaxKind.ExportKeyword && second?.kind !== ts.SyntaxKind.DefaultKeyword;
    return isExport ? first : [];
  });
  return words.reduce((text, { end }) => `${text.slice(0, end - 6)}      ${text.slice(end)}`, code);
}

/** Variables for clients, which later cells need as they need imports. */
const OPENS_CLIENT = /^(?:const|let|var)\s+[\w$]+\s*=\s*(?:await\s+openArchive|new\s+ArchiveClient)\s*\(/;

/** A cell reduced to its imports and the clients that it opens, in their places. */
function setupOf(ts: typeof TS, code: string): string {
  const file = ts.createSourceFile("cell.ts", code, ts.ScriptTarget.Latest);
  return file.statements
    .filter((statement) => ts.isImportDeclaration(statement) || OPENS_CLIENT.test(statement.getText(file)))
    .reduce(
      (setup, statement) => {
        const start = statement.getStart(file);
        return setup.slice(0, start) + code.slice(start, statement.end) + setup.slice(statement.end);
      },
      code.replace(/[^\n]/g, " "),
    );
}

function toDiagnostics(found: readonly TslabDiagnostic[], code: string): Diagnostic[] {
  const lines = code.split(/\r?\n/);
  return found.map(({ start, end, messageText: message, fileName: file }) => {
    const length = end.line === start.line ? Math.max(1, end.character - start.character) : 1;
    const source = file === undefined ? lines[start.line] : undefined;
    return { file, line: start.line + 1, column: start.character + 1, length, source, message };
  });
}

const methods: ConverterMethods = tslabConverter();

parentPort?.on("message", ({ id, method, args }: ConverterRequest) => {
  const respond = (response: ConverterResponse) => parentPort?.postMessage(response);
  try {
    respond({ id, value: (methods[method] as (...args: unknown[]) => unknown)(...args) });
  } catch (error) {
    respond({ id, error: `TypeScript itself failed: ${(error as Error).message}` });
  }
});
