import type { CellMaps } from "./converter.js";
import { fastBuilder } from "./fastBuilder.js";
import { type DocumentationOf, quickInfo } from "./tooltips.js";
import type { TypeScript, TypeScriptInternals } from "./typescript.js";

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/;
/** Options that only tslab's own build of TypeScript knows. */
const CURRENT = { noImplicitUseStrict: undefined, disableTopLevelAwait: undefined };

/** Its line stays, so that the source map remains valid. */
const USE_STRICT = /^"use strict";/;

const MAP_COMMENT = /\n?\/\/# sourceMappingURL=\S+\s*$/;

/**
 * Patches TypeScript for the kernel: source maps for both steps of tslab's conversion (TypeScript to JavaScript, JavaScript to
 * CommonJS), the fast builder, shorthand properties, and the library of the running Node. tslab hard-codes all options, so they
 * are changed in its calls.
 */
export function patchTypeScript(
  original: TypeScript,
  documentationOf: DocumentationOf,
): {
  ts: TypeScript;
  /** Returns the source maps of the last conversion, once. */
  takeMaps(output: string): CellMaps | undefined;
} {
  const maps = new Map<string, CellMaps>();
  const builder = fastBuilder(original);
  const target = original.ScriptTarget.ES2024;
  const createWatchCompilerHost = (files: string[], options: object, sys: object, _: unknown, ...rest: unknown[]) =>
    (original.createWatchCompilerHost as (...all: unknown[]) => unknown)(
      files,
      { ...options, ...CURRENT, target, lib: libraryOfNode(), inlineSourceMap: true },
      sys,
      builder,
      ...rest,
    );
  const transpileModule: TypeScript["transpileModule"] = (input, options) => {
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
  // A copy: the members of the original are read-only.
  const patches = {
    ...tslabFunctions(original, documentationOf),
    createWatchCompilerHost,
    transpileModule,
    visitEachChild,
  };
  const ts = { ...original, ...patches } as unknown as TypeScript;
  return {
    ts,
    takeMaps(output) {
      const found = maps.get(output);
      maps.clear();
      return found;
    },
  };
}

type VisitEachChild = (node: object, visitor: (child: object) => object | undefined, context: object) => object;

/**
 * tslab prefixes the names of earlier cells with `exports.` but misses shorthand properties: `{ mindate }` is presented to it
 * as `{ mindate: mindate }`.
 */
function withShorthandNames({ visitEachChild, isShorthandPropertyAssignment, factory }: TypeScript): VisitEachChild {
  return (node, visitor, context) =>
    (visitEachChild as unknown as VisitEachChild)(
      node,
      (child) => {
        if (!isShorthandPropertyAssignment(child as never)) return visitor(child);
        const { name, parent, objectAssignmentInitializer } = child as ShorthandProperty;
        if (objectAssignmentInitializer !== undefined) return visitor(child);
        const value = factory.createIdentifier(name.text) as unknown as MutableNode;
        const assignment = factory.createPropertyAssignment(name as never, value as never) as unknown as MutableNode;
        // Symbols are resolved through `parent`, and only for parsed nodes, which have no synthesized flag.
        value.flags = 0;
        value.parent = assignment;
        assignment.parent = parent;
        const visited = visitor(value);
        return visited === value ? child : factory.createPropertyAssignment(name as never, visited as never);
      },
      context,
    );
}

interface MutableNode {
  flags: number;
  parent: object;
}

interface ShorthandProperty {
  readonly name: { readonly text: string };
  readonly parent: object;
  readonly objectAssignmentInitializer?: object;
}

type Program = import("typescript").Program;
type SourceFile = import("typescript").SourceFile;
type Checker = import("typescript").TypeChecker;

/** The functions that tslab's own build of TypeScript adds to the compiler, on top of the standard one. */
function tslabFunctions(ts: TypeScript, documentationOf: DocumentationOf): object {
  const internals = ts as unknown as TypeScriptInternals;
  const getCompletionsAtPositionForTslab = (_: object, program: Program, ...more: unknown[]) => {
    const host = { ...ts.sys, getCompilationSettings: () => program.getCompilerOptions() };
    return internals.Completions.getCompletionsAtPosition(host, program, ...more, undefined);
  };

  function getPreEmitDiagnosticsOfFiles(program: Program, files: readonly SourceFile[]) {
    const diagnostics = files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
      ...program.getDeclarationDiagnostics(file),
    ]);
    return ts.sortAndDeduplicateDiagnostics([...program.getGlobalDiagnostics(), ...diagnostics]);
  }

  const getQuickInfoAtPosition = (file: SourceFile, checker: Checker, _: unknown, position: number) =>
    quickInfo(ts, documentationOf, file, checker, position);

  return {
    Completions: { ...internals.Completions, getCompletionsAtPositionForTslab },
    getDefaultTypeRoots: (directory: string, host: { directoryExists(path: string): boolean }) =>
      internals
        .getEffectiveTypeRoots({}, { getCurrentDirectory: () => directory })
        ?.filter((path) => host.directoryExists(path)),
    getNullTransformationContext: () => internals.nullTransformationContext,
    getPreEmitDiagnosticsOfFiles,
    getQuickInfoAtPosition,
  };
}

/** Parts of the library after ES2023 that versions of Node have or lack, each with a feature that tells. */
const FEATURES: ReadonlyArray<readonly [library: string, owner: object, name: PropertyKey]> = [
  ["es2024.arraybuffer", ArrayBuffer.prototype, "transfer"],
  ["es2024.collection", Map, "groupBy"],
  ["es2024.object", Object, "groupBy"],
  ["es2024.promise", Promise, "withResolvers"],
  ["es2024.sharedmemory", Atomics, "waitAsync"],
  ["es2024.string", String.prototype, "isWellFormed"],
  ["esnext.array", Array, "fromAsync"],
  ["esnext.collection", Set.prototype, "union"],
  ["esnext.disposable", Symbol, "asyncDispose"],
  ["esnext.error", Error, "isError"],
  ["esnext.float16", Math, "f16round"],
  ["esnext.iterator", globalThis, "Iterator"],
  ["esnext.promise", Promise, "try"],
];

/**
 * TypeScript's library files for the running Node.
 *
 * @example
 * libraryOfNode(); //=> ["lib.es2023.d.ts", "lib.es2024.object.d.ts", …] in Node 22
 */
function libraryOfNode(): string[] {
  const found = FEATURES.filter(([, owner, name]) => name in owner).map(([library]) => library);
  return ["es2023", ...found].map((library) => `lib.${library}.d.ts`);
}
