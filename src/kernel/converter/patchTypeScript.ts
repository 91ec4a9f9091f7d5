import type * as TS from "typescript";
import type { CellMaps } from "./converter.js";

/** Functions of TypeScript that it does not declare. */
interface Internals {
  readonly nullTransformationContext: unknown;
  readonly Completions: { getCompletionsAtPosition(...parameters: unknown[]): unknown };
  readonly SymbolDisplay: {
    getSymbolDisplayPartsDocumentationAndSymbolKind(...parameters: unknown[]): {
      readonly displayParts?: ReadonlyArray<{ readonly text: string }>;
    };
  };
  bindSourceFile(file: unknown, options: unknown): void;
  createAbstractBuilder(...parameters: unknown[]): { getProgram(): TS.Program };
  createWatchCompilerHost(...parameters: unknown[]): object;
  getTouchingPropertyName(file: unknown, position: number): TS.Node;
  getContainerNode(node: unknown): unknown;
  getEffectiveTypeRoots(options: object, host: object): string[] | undefined;
}

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json[^,/]*,([^\s#]+)\s*$/;

/** Options that only tslab's own build of TypeScript knows. */
const CURRENT = { noImplicitUseStrict: undefined, disableTopLevelAwait: undefined };

/** Its line stays, so that the source map remains valid. */
const USE_STRICT = /^"use strict";/;

/** Errors about unknown variables, modules and exports. JavaScript would fail, too. */
const UNKNOWN_NAME = new Set([
  2304, 2305, 2306, 2307, 2459, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2613, 2614, 2693, 2724,
  2792, 2867, 2868, 18004,
]);
/** Smaller codes are syntax errors. */
const FIRST_SEMANTIC = 2000;

/** What the next conversion checks, and what the last one found. */
interface Check {
  types: boolean;
  /** Whether all errors are type errors, so that the JavaScript can run. */
  canRun: boolean;
}

const MAP_COMMENT = /\n?\/\/# sourceMappingURL=[^\s#]+\s*$/;

/**
 * Patches TypeScript for the kernel: source maps for both steps of tslab's conversion (TypeScript to JavaScript, JavaScript to
 * CommonJS), a faster builder, shorthand properties, the current library, and the functions that tslab's own build of TypeScript
 * adds. tslab hard-codes all options, so they are changed in its calls.
 */
export function patchTypeScript(original: typeof TS): {
  ts: typeof TS;
  readonly check: Check;
  /** Returns the source maps of the last conversion, once. */
  takeMaps(output: string): CellMaps | undefined;
} {
  const internals = original as unknown as Internals;
  const maps = new Map<string, CellMaps>();
  const target = original.ScriptTarget.ES2024;
  const lib = ["lib.esnext.d.ts"];
  const createWatchCompilerHost = (files: string[], options: object, sys: object, _: unknown, ...rest: unknown[]) => {
    const changed = { ...options, ...CURRENT, target, lib, inlineSourceMap: true };
    const host = internals.createWatchCompilerHost(files, changed, sys, fastBuilder(original), ...rest);
    // Doc comments are two thirds of three megabytes of declarations; tooltips read them when one is shown.
    return Object.assign(host, { jsDocParsingMode: original.JSDocParsingMode.ParseNone });
  };
  const transpileModule: (typeof TS)["transpileModule"] = (input, options) => {
    const inline = INLINE_MAP.exec(input);
    const compilerOptions = { ...options.compilerOptions, ...CURRENT, target, sourceMap: true };
    const code = inline === null ? input : input.slice(0, inline.index + 1);
    const result = original.transpileModule(code, { ...options, compilerOptions });
    const outputText = result.outputText.replace(MAP_COMMENT, "\n").replace(USE_STRICT, "");
    if (inline?.[1] !== undefined && result.sourceMapText !== undefined) {
      const fromTypeScript = Buffer.from(inline[1], "base64").toString();
      maps.set(outputText, { fromCommonJs: result.sourceMapText, fromTypeScript });
    }
    return { ...result, outputText };
  };
  const visitEachChild = withShorthandNames(original);
  const check: Check = { types: true, canRun: true };
  // A copy: the members of the original are read-only.
  const patches = { ...tslabFunctions(original, check), createWatchCompilerHost, transpileModule, visitEachChild };
  return {
    ts: { ...original, ...patches } as unknown as typeof TS,
    check,
    takeMaps(output) {
      const found = maps.get(output);
      maps.clear();
      return found;
    },
  };
}

/** The modules that each file imports, by path. */
interface WithResolvedModules {
  readonly resolvedModules?: ReadonlyMap<string, TS.ModeAwareCache<TS.ResolvedModuleWithFailedLookupLocations>>;
}

/**
 * A builder that does not record which file references which. TypeScript's own does so for the declarations of all packages, twice
 * per cell, which makes a cell about 40 % slower; tslab needs only the dependencies of the cell.
 */
function fastBuilder(ts: typeof TS): (...parameters: unknown[]) => object {
  const { createAbstractBuilder, bindSourceFile } = ts as unknown as Internals;
  return (...parameters) => {
    const builder = createAbstractBuilder(...parameters);
    const program = builder.getProgram();
    // tslab reads the names in a cell before the type checker has bound it. Binding twice does nothing.
    for (const file of program.getSourceFiles()) bindSourceFile(file, program.getCompilerOptions());
    const getAllDependencies = (file: TS.SourceFile & { readonly path: string }) => {
      const seen = new Set([file]);
      // The set grows during the loop.
      for (const { path } of seen) {
        (program as WithResolvedModules).resolvedModules?.get(path)?.forEach(({ resolvedModule }) => {
          const found = resolvedModule && program.getSourceFile(resolvedModule.resolvedFileName);
          if (found !== undefined) seen.add(found as typeof file);
        });
      }
      return [...seen].map(({ fileName }) => fileName);
    };
    const emit: TS.Program["emit"] = (file, write, token, onlyTypes, transformers) => {
      const after = [usingValue(ts), ...(transformers?.after ?? [])];
      return program.emit(file, write, token, onlyTypes, { ...transformers, after });
    };
    return Object.assign(builder, { getAllDependencies, emit });
  };
}

/** A shorthand property. */
interface Shorthand {
  readonly parent: object;
  readonly name: { readonly text: string };
  readonly objectAssignmentInitializer?: object;
}

type VisitEachChild = (node: object, visitor: (child: object) => object | undefined, context: object) => object;

/**
 * tslab prefixes the names of earlier cells with `exports.` but misses shorthand properties: `{ mindate }` is presented to it
 * as `{ mindate: mindate }`.
 */
function withShorthandNames({ visitEachChild, isShorthandPropertyAssignment, factory }: typeof TS): VisitEachChild {
  return (node, visitor, context) => {
    const visit = (child: object) => {
      const { name, parent, objectAssignmentInitializer } = child as Shorthand;
      if (!isShorthandPropertyAssignment(child as never) || objectAssignmentInitializer !== undefined)
        return visitor(child);
      const value = factory.createIdentifier(name.text);
      const assignment = factory.createPropertyAssignment(name as never, value);
      // Symbols are resolved through `parent`, and only for parsed nodes, which have no synthesized flag.
      Object.assign(value, { flags: 0, parent: assignment });
      Object.assign(assignment, { parent });
      const visited = visitor(value);
      return visited === value ? child : factory.createPropertyAssignment(name as never, visited as never);
    };
    return (visitEachChild as unknown as VisitEachChild)(node, visit, context);
  };
}

/** The functions that tslab's own build of TypeScript adds to the compiler, on top of the standard one. */
function tslabFunctions(ts: typeof TS, check: Check): object {
  const internals = ts as unknown as Internals;
  return {
    Completions: {
      ...internals.Completions,
      getCompletionsAtPositionForTslab(_: object, program: TS.Program, ...more: unknown[]) {
        const host = { ...ts.sys, getCompilationSettings: () => program.getCompilerOptions() };
        return internals.Completions.getCompletionsAtPosition(host, program, ...more, undefined);
      },
    },
    getDefaultTypeRoots: (directory: string, host: { directoryExists(path: string): boolean }) =>
      internals
        .getEffectiveTypeRoots({}, { getCurrentDirectory: () => directory })
        ?.filter((path) => host.directoryExists(path)),
    getNullTransformationContext: () => internals.nullTransformationContext,
    getPreEmitDiagnosticsOfFiles(program: TS.Program, files: readonly TS.SourceFile[]) {
      const types = check.types ? files.flatMap((file) => program.getSemanticDiagnostics(file)) : [];
      const others = files.flatMap((file) => [
        ...program.getSyntacticDiagnostics(file),
        ...program.getDeclarationDiagnostics(file),
      ]);
      check.canRun =
        others.length === 0 && types.every(({ code }) => code >= FIRST_SEMANTIC && !UNKNOWN_NAME.has(code));
      return ts.sortAndDeduplicateDiagnostics([...program.getGlobalDiagnostics(), ...types, ...others]);
    },
    getQuickInfoAtPosition: (file: TS.SourceFile, checker: TS.TypeChecker, _: unknown, position: number) =>
      quickInfo(ts, file, checker, position),
  };
}

/** Describes the name at a position: its documentation, then its type. Undefined if there is none. */
function quickInfo(ts: typeof TS, file: TS.SourceFile, checker: TS.TypeChecker, position: number): string | undefined {
  const { getTouchingPropertyName, getContainerNode, SymbolDisplay } = ts as unknown as Internals;
  const node = getTouchingPropertyName(file, position);
  const named = node === file ? undefined : checker.getSymbolAtLocation(node);
  if (named === undefined) return undefined;
  const symbol = named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  const display = SymbolDisplay.getSymbolDisplayPartsDocumentationAndSymbolKind;
  const { displayParts = [] } = display(checker, named, file, getContainerNode(node), node);
  const signature = displayParts.map(({ text }) => text).join("");
  return [documentationOf(ts, symbol), signature].filter((part) => part !== "").join("\n\n");
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

/**
 * Moves the last expression of a cell with `using` behind the `try` statement into which TypeScript puts such a cell, where tslab looks
 * for it. A promise is awaited before what it needs is closed.
 */
function usingValue({ factory, ...ts }: typeof TS): () => (file: TS.SourceFile) => TS.SourceFile {
  const isTyped = (statement: TS.Statement) => {
    const original = ts.getOriginalNode(statement);
    return original.pos >= 0 && ts.isExpressionStatement(original);
  };
  return () => (file) => {
    const block = file.statements.at(-1);
    // A `try` statement of the user has a position.
    if (block === undefined || !ts.isTryStatement(block) || block.pos >= 0) return file;
    const { tryBlock, catchClause, finallyBlock } = block;
    const last = tryBlock.statements.at(-1);
    if (last === undefined || !ts.isExpressionStatement(last) || !isTyped(last)) return file;
    const name = factory.createUniqueName("value");
    const declared = factory.createVariableStatement(undefined, [factory.createVariableDeclaration(name)]);
    const value = factory.createAssignment(name, factory.createAwaitExpression(last.expression));
    const statements = [...tryBlock.statements.slice(0, -1), factory.createExpressionStatement(value)];
    const changed = factory.updateTryStatement(block, factory.createBlock(statements, true), catchClause, finallyBlock);
    const shown = factory.createExpressionStatement(name);
    return factory.updateSourceFile(file, [...file.statements.slice(0, -1), declared, changed, shown]);
  };
}
