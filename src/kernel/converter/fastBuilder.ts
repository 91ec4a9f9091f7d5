import { markAwaits } from "./markAwaits.js";
import type { TypeScript } from "./typescript.js";

type Builder = ReturnType<TypeScript["createAbstractBuilder"]>;
type Program = ReturnType<Builder["getProgram"]>;

/** Internals that TypeScript does not declare. */
interface SourceFile {
  readonly fileName: string;
  readonly path: string;
}

/** The modules that each file imports, by path. */
interface WithResolvedModules {
  readonly resolvedModules?: ReadonlyMap<
    string,
    { forEach(take: (found: { readonly resolvedModule?: { readonly resolvedFileName: string } }) => void): void }
  >;
}

interface Internals {
  createAbstractBuilder(...parameters: unknown[]): Builder;
  bindSourceFile(file: unknown, options: unknown): void;
}

/**
 * Replaces TypeScript's builder with one that does not record which file references which. The original does so for the
 * declarations of all packages, twice per cell and in half of its time, while tslab needs only the dependencies of the cell. The
 * new one also marks awaits.
 */
export function fastBuilder(original: TypeScript): (...parameters: unknown[]) => Builder {
  const { createAbstractBuilder, bindSourceFile } = original as unknown as Internals;
  const marked = markAwaits(original);
  return (...parameters) => {
    const builder = createAbstractBuilder(...parameters);
    const program = builder.getProgram();
    // tslab reads the names in a cell before the type checker has bound it. Binding twice does nothing.
    for (const file of program.getSourceFiles()) bindSourceFile(file, program.getCompilerOptions());
    const getAllDependencies = (file: unknown) => dependencies(program, file as SourceFile);
    const emitOriginal = builder.emit.bind(builder);
    const emit: Builder["emit"] = (file, write, token, onlyDeclarations, transformers) =>
      emitOriginal(file, write, token, onlyDeclarations, { ...transformers, before: [marked] });
    return Object.assign(builder, { getAllDependencies, emit });
  };
}

/** A file and its transitive imports. */
function dependencies(program: Program, file: SourceFile): string[] {
  const seen = new Set([file]);
  // The set grows during the loop.
  for (const { path } of seen) {
    (program as WithResolvedModules).resolvedModules?.get(path)?.forEach(({ resolvedModule }) => {
      const found = resolvedModule && program.getSourceFile(resolvedModule.resolvedFileName);
      if (found !== undefined) seen.add(found as unknown as SourceFile);
    });
  }
  return [...seen].map(({ fileName }) => fileName);
}
