import type { DocumentationOf } from "./hiddenDocumentation.js";
import { quickInfo } from "./quickInfo.js";
import type { TypeScript, TypeScriptInternals } from "./typescript.js";

type Program = import("typescript").Program;
type SourceFile = import("typescript").SourceFile;
type Checker = import("typescript").TypeChecker;

/** The functions that tslab's own build of TypeScript adds to the compiler, on top of the standard one. */
export function tslabFunctions(ts: TypeScript, documentationOf: DocumentationOf): object {
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
