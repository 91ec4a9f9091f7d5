import type { TypeScript } from "./typescript.js";

type Statement = import("typescript").Statement;

/**
 * The declarations after a failed cell: those after the cell, without the variables that it did not assign, which keep their
 * earlier declarations.
 *
 * @param before declarations before the cell
 * @param after declarations if it had succeeded
 * @param unassigned names of the variables that the cell did not assign
 */
export function restoreDeclarations(
  ts: TypeScript,
  before: string,
  after: string,
  unassigned: readonly string[],
): string {
  const lost = new Set(unassigned);
  const restored = select(ts, before, (name) => lost.has(name), false);
  return restored + select(ts, after, (name) => !lost.has(name), true);
}

/** The declarations of the selected values, with or without the declarations that are only types. */
function select(ts: TypeScript, text: string, isSelected: (name: string) => boolean, withTypes: boolean): string {
  const { factory } = ts;
  const file = ts.createSourceFile("declarations.d.ts", text, ts.ScriptTarget.Latest, true);
  const printer = ts.createPrinter();
  const has = (name: { readonly text: string } | undefined) => name !== undefined && isSelected(name.text);
  const selected = (statement: Statement): Statement | undefined => {
    if (ts.isVariableStatement(statement)) {
      const { modifiers, declarationList } = statement;
      const declarations = declarationList.declarations.filter(({ name }) => ts.isIdentifier(name) && has(name));
      const list = factory.updateVariableDeclarationList(declarationList, declarations);
      return declarations.length === 0 ? undefined : factory.updateVariableStatement(statement, modifiers, list);
    }
    if (ts.isImportDeclaration(statement)) {
      const { modifiers, importClause: clause, moduleSpecifier, attributes } = statement;
      if (clause === undefined) return undefined;
      const { phaseModifier, name, namedBindings: bindings } = clause;
      const named =
        bindings && ts.isNamedImports(bindings)
          ? factory.updateNamedImports(
              bindings,
              bindings.elements.filter((element) => has(element.name)),
            )
          : bindings && (has(bindings.name) ? bindings : undefined);
      const kept = named && ts.isNamedImports(named) && named.elements.length === 0 ? undefined : named;
      const own = has(name) ? name : undefined;
      if (own === undefined && kept === undefined) return undefined;
      const imported = factory.updateImportClause(clause, phaseModifier, own, kept);
      return factory.updateImportDeclaration(statement, modifiers, imported, moduleSpecifier, attributes);
    }
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isEnumDeclaration(statement)) {
      return has(statement.name) ? statement : undefined;
    }
    return withTypes ? statement : undefined;
  };
  return file.statements
    .map(selected)
    .filter((statement) => statement !== undefined)
    .map((statement) => `${printer.printNode(ts.EmitHint.Unspecified, statement, file)}\n`)
    .join("");
}
