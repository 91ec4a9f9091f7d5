import type * as TS from "typescript";

/**
 * Moves the last expression of a cell with `using` behind the `try` statement into which TypeScript puts such a cell, where tslab looks
 * for it. A promise is awaited before what it needs is closed.
 */
export function usingValue({ factory, ...ts }: typeof TS): () => (file: TS.SourceFile) => TS.SourceFile {
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
