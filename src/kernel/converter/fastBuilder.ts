import type { TypeScript } from "./typescript.js";

type Builder = ReturnType<TypeScript["createAbstractBuilder"]>;
type Program = ReturnType<Builder["getProgram"]>;

type SourceFile = import("typescript").SourceFile & { /** Not declared by TypeScript. */ readonly path: string };

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
      if (found !== undefined) seen.add(found as SourceFile);
    });
  }
  return [...seen].map(({ fileName }) => fileName);
}

type Node = import("typescript").Node;
type Expression = import("typescript").Expression;
type TransformerFactory = import("typescript").TransformerFactory<import("typescript").SourceFile>;

/** tslab's name for the file of the cell; local modules keep their code. */
const CELL = /(?:^|\/)__tslab__\.ts$/;

/**
 * Makes a cell record where it waits: `await x` becomes `__tslab__.resumed(await __tslab__.awaiting(x, line, column))`. The stack
 * of a rejection often ends in a library, so that only this position tells which of five awaits failed. The awaits of functions
 * stay as they are, because several of them may be pending at once.
 */
function markAwaits(ts: TypeScript): TransformerFactory {
  const { factory } = ts;
  const call = (name: string, ...parameters: Expression[]) =>
    factory.createCallExpression(
      factory.createPropertyAccessExpression(factory.createIdentifier("__tslab__"), name),
      undefined,
      parameters,
    );
  return (context) => (file) => {
    if (!CELL.test(file.fileName)) return file;
    const awaiting = (value: Expression, at: Node) => {
      const { line, character } = ts.getLineAndCharacterOfPosition(file, at.getStart(file));
      // tslab prepends one line to the code of a cell, so this line starts at 1.
      return call("awaiting", value, factory.createNumericLiteral(line), factory.createNumericLiteral(character + 1));
    };
    const visit = (node: Node): Node => {
      if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isTypeNode(node)) return node;
      const visited = ts.visitEachChild(node, visit, context);
      if (ts.isAwaitExpression(node) && ts.isAwaitExpression(visited)) {
        return call("resumed", factory.updateAwaitExpression(visited, awaiting(visited.expression, node)));
      }
      if (ts.isForOfStatement(node) && ts.isForOfStatement(visited) && node.awaitModifier !== undefined) {
        const { awaitModifier, initializer, expression, statement } = visited;
        const marked = awaiting(expression, node);
        return factory.updateForOfStatement(visited, awaitModifier, initializer, marked, statement);
      }
      // The kernel awaits the value of the last expression.
      if (node === last && ts.isExpressionStatement(node) && ts.isExpressionStatement(visited)) {
        return ts.isAwaitExpression(node.expression)
          ? visited
          : factory.updateExpressionStatement(visited, awaiting(visited.expression, node));
      }
      return visited;
    };
    const last = file.statements.findLast((statement) => !ts.isExportDeclaration(statement));
    return ts.visitEachChild(file, visit, context);
  };
}
