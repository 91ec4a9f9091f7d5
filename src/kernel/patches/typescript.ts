import { dirname, join } from "node:path";
import type * as TS from "typescript";
import { nodeTypes, sharedPackages } from "./modules.js";

/** Functions of TypeScript that it does not declare. */
interface Internals {
  readonly nullTransformationContext: unknown;
  readonly Completions: { getCompletionsAtPosition(...parameters: unknown[]): unknown };
  createWatchCompilerHost(...parameters: unknown[]): object;
  getTouchingPropertyName(file: unknown, position: number): TS.Node;
}

const INLINE_MAP = /\n\/\/# sourceMappingURL=\S+\s*$/;

/** Options that only tslab's own build of TypeScript knows. */
const TSLAB_OPTIONS = { noImplicitUseStrict: undefined, disableTopLevelAwait: undefined };

/** Its line stays, so that the source map remains valid. */
const USE_STRICT = /^"use strict";/;

/** Errors about names that JavaScript would not find either, or that are declared twice. */
const UNKNOWN_NAME = new Set([
  2300, 2304, 2305, 2306, 2307, 2451, 2459, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2613, 2614,
  2693, 2724, 2792, 2867, 2868, 18004,
]);
/** An assignment to a constant. A later cell may assign what an earlier one has declared. */
const CONSTANT = 2588;
/** Smaller codes are syntax errors. */
const FIRST_SEMANTIC = 2000;

/** What TypeScript reported about the last cell: errors that prevent its run, with all others, or only type errors. */
export interface Report {
  errors: readonly TS.Diagnostic[];
  warnings: readonly TS.Diagnostic[];
}

/**
 * Patches TypeScript for the kernel: source maps for both steps of tslab's conversion (TypeScript to JavaScript, JavaScript to
 * CommonJS) at the end of the output, type errors that do not prevent a cell from running, shared packages, shorthand properties, the
 * current library, and the functions that tslab's own build of TypeScript adds. tslab hard-codes all options, so they are changed in its
 * calls.
 */
export function patchTypeScript(original: typeof TS): { ts: typeof TS; readonly report: Report } {
  const internals = original as unknown as Internals;
  const target = original.ScriptTarget.ES2024;
  const lib = ["lib.esnext.d.ts"];
  const createWatchCompilerHost = (files: string[], options: object, sys: TS.System, ...rest: unknown[]) => {
    const changed = { ...options, ...TSLAB_OPTIONS, ...pathsOfPackages(), target, lib, inlineSourceMap: true };
    const host = internals.createWatchCompilerHost(files, changed, sys, ...rest);
    // Doc comments are two thirds of three megabytes of declarations; tooltips read them when one is shown.
    return Object.assign(host, { jsDocParsingMode: original.JSDocParsingMode.ParseNone });
  };
  const transpileModule: (typeof TS)["transpileModule"] = (input, options) => {
    const [map = ""] = INLINE_MAP.exec(input) ?? [];
    const compilerOptions = { ...options.compilerOptions, ...TSLAB_OPTIONS, target, inlineSourceMap: true };
    const code = input.slice(0, input.length - map.length);
    const result = original.transpileModule(code, { ...options, compilerOptions });
    return { ...result, outputText: result.outputText.trimEnd().replace(USE_STRICT, "") + map };
  };
  const visitEachChild = withShorthandNames(original);
  const report: Report = { errors: [], warnings: [] };
  // A copy: the members of the original are read-only.
  const patches = { ...tslabFunctions(original, report), createWatchCompilerHost, transpileModule, visitEachChild };
  return { ts: { ...original, ...patches } as unknown as typeof TS, report };
}

/**
 * Options that make TypeScript find the packages that a notebook shares with its kernel, wherever it is. All files of a package have a
 * path: TypeScript names the type of a variable by it.
 */
function pathsOfPackages(): TS.CompilerOptions {
  const types = nodeTypes();
  const paths = [...sharedPackages(), ...types].flatMap(([name, path]) => [
    [name, [path]],
    [`${name}/*`, [join(path, name === "archive-frames" ? "dist/*" : "*")]],
  ]);
  return { paths: Object.fromEntries(paths), typeRoots: [dirname(types.get("@types/node") ?? "")], types: ["node"] };
}

/**
 * tslab prefixes the names of earlier cells with `exports.` but misses shorthand properties: `{ mindate }` is presented to it
 * as `{ mindate: mindate }`.
 */
function withShorthandNames({ visitEachChild, isShorthandPropertyAssignment, factory }: typeof TS) {
  return (parent: TS.Node, visitor: TS.Visitor, context: TS.TransformationContext) => {
    const visit: TS.Visitor = (child) => {
      if (!isShorthandPropertyAssignment(child) || child.objectAssignmentInitializer !== undefined)
        return visitor(child);
      const value = factory.createIdentifier(child.name.text);
      const assignment = factory.createPropertyAssignment(child.name, value);
      // Symbols are resolved through `parent`, and only for parsed nodes, which have no synthesized flag.
      Object.assign(value, { flags: 0, parent: assignment });
      Object.assign(assignment, { parent: child.parent });
      const visited = visitor(value);
      return visited === value ? child : factory.createPropertyAssignment(child.name, visited as TS.Expression);
    };
    return visitEachChild(parent, visit, context);
  };
}

/** The functions that tslab's own build of TypeScript adds to the compiler, on top of the standard one. */
function tslabFunctions(ts: typeof TS, report: Report): object {
  const internals = ts as unknown as Internals;
  return {
    Completions: {
      ...internals.Completions,
      getCompletionsAtPositionForTslab(_: object, program: TS.Program, ...more: unknown[]) {
        const host = { ...ts.sys, getCompilationSettings: () => program.getCompilerOptions() };
        return internals.Completions.getCompletionsAtPosition(host, program, ...more, undefined);
      },
    },
    getDefaultTypeRoots: () => [],
    getNullTransformationContext: () => internals.nullTransformationContext,
    getPreEmitDiagnosticsOfFiles(program: TS.Program, files: readonly TS.SourceFile[]) {
      const types = files.flatMap((file) => program.getSemanticDiagnostics(file));
      const others = files.flatMap((file) => [
        ...program.getSyntacticDiagnostics(file),
        ...program.getDeclarationDiagnostics(file),
      ]);
      const isTypeError = ({ code }: TS.Diagnostic) => code >= FIRST_SEMANTIC && !UNKNOWN_NAME.has(code);
      const canRun = others.length === 0 && types.every(isTypeError);
      const errors = canRun ? [] : ts.sortAndDeduplicateDiagnostics([...types, ...others]);
      Object.assign(report, { errors, warnings: canRun ? types.filter(({ code }) => code !== CONSTANT) : [] });
      return errors;
    },
    getQuickInfoAtPosition: (file: TS.SourceFile, checker: TS.TypeChecker, _: unknown, position: number) =>
      quickInfo(ts, file, checker, position),
  };
}

/** Describes the name at a position: its documentation, then its type. Undefined if there is none. */
function quickInfo(ts: typeof TS, file: TS.SourceFile, checker: TS.TypeChecker, position: number): string | undefined {
  const node = (ts as unknown as Internals).getTouchingPropertyName(file, position);
  const named = node === file ? undefined : checker.getSymbolAtLocation(node);
  if (named === undefined) return undefined;
  const symbol = named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  const type = checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, node));
  return [documentationOf(ts, symbol), `${node.getText()}: ${type}`].filter((part) => part !== "").join("\n\n");
}

/** The doc comment of a symbol, without its markers; empty if there is none. */
function documentationOf(ts: typeof TS, { declarations = [] }: TS.Symbol): string {
  const comments = declarations.map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const { text } = node.getSourceFile();
    const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    return ranges.map(({ pos, end }) => text.slice(pos, end)).findLast((comment) => comment.startsWith("/**"));
  });
  return (comments.find((comment) => comment !== undefined) ?? "")
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .trim();
}
