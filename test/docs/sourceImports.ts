import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "./markdown.js";

/** One source file that imports another; paths are from `src`. */
export interface SourceImport {
  readonly from: string;
  readonly to: string;
  /** It is gone in the built code. */
  readonly typeOnly: boolean;
}

const SRC = join(ROOT, "src");

/** The source files, as paths from `src`. */
export function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort();
}

/** Every import and re-export of one source file by another, dynamic ones included. */
export function sourceImports(): SourceImport[] {
  return sourceFiles().flatMap((from) => {
    const path = join(SRC, from);
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    const found: SourceImport[] = [];
    const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
      if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return;
      const to = relative(SRC, join(dirname(path), specifier.text)).replace(/\.js$/, ".ts");
      found.push({ from, to, typeOnly });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
      else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly || isTypeOnly(node));
      else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
        add(node.arguments[0], false);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function isTypeOnly(node: ts.ImportClause | ts.ExportDeclaration | undefined): boolean {
  if (node === undefined) return false;
  if (node.isTypeOnly) return true;
  const bindings = ts.isImportClause(node) ? node.namedBindings : node.exportClause;
  if (bindings === undefined || ts.isNamespaceImport(bindings) || ts.isNamespaceExport(bindings)) return false;
  const withDefault = ts.isImportClause(node) && node.name !== undefined;
  return !withDefault && bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}
