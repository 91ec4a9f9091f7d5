import type { TypeScript } from "./typescriptForCells.js";

type Builder = ReturnType<TypeScript["createAbstractBuilder"]>;
type Program = ReturnType<Builder["getProgram"]>;

/** What TypeScript knows, and does not declare. */
interface SourceFile {
  readonly fileName: string;
  readonly resolvedModules?: {
    forEach(take: (found: { readonly resolvedModule?: { readonly resolvedFileName: string } }) => void): void;
  };
}

interface Internals {
  createAbstractBuilder(...parameters: unknown[]): Builder;
  bindSourceFile(file: unknown, options: unknown): void;
}

/**
 * Makes programs without the account of which file uses which. TypeScript's own builders draw that up for all the declarations
 * of all packages, twice in each cell and half of its time, and tslab asks only what the cell itself depends on.
 */
export function plainBuilder(original: TypeScript): (...parameters: unknown[]) => Builder {
  const { createAbstractBuilder, bindSourceFile } = original as unknown as Internals;
  return (...parameters) => {
    const builder = createAbstractBuilder(...parameters);
    const program = builder.getProgram();
    // tslab reads the names in a cell before anybody has asked for a type. A file that is bound is not bound again.
    for (const file of program.getSourceFiles()) bindSourceFile(file, program.getCompilerOptions());
    const getAllDependencies = (file: unknown) => dependencies(program, file as SourceFile);
    return Object.assign(builder, { getAllDependencies });
  };
}

/** A file, what it imports, and what that imports. */
function dependencies(program: Program, file: SourceFile): string[] {
  const seen = new Set([file]);
  // The set grows meanwhile.
  for (const { resolvedModules } of seen) {
    resolvedModules?.forEach(({ resolvedModule }) => {
      const found = resolvedModule && program.getSourceFile(resolvedModule.resolvedFileName);
      if (found !== undefined) seen.add(found as SourceFile);
    });
  }
  return [...seen].map(({ fileName }) => fileName);
}
