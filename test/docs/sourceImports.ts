import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type TS from "typescript";
import { ROOT } from "./markdown.js";
import { ts } from "./typescript.js";

/** One source file that imports another; paths are from `src`. */
export interface SourceImport {
  readonly from: string;
  readonly to: string;
}

const SRC = join(ROOT, "src");

/** The source files, as paths from `src`, without those in AssemblyScript. */
export function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("/wasm/"))
    .sort();
}

/** Every import and re-export of one source file by another, type-only and dynamic ones included. JSON is data, no source file. */
export function sourceImports(): SourceImport[] {
  return sourceFiles().flatMap((from) => {
    const path = join(SRC, from);
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    const found: SourceImport[] = [];
    const add = (specifier: TS.Node | undefined): void => {
      if (specifier === undefined || !ts.isStringLiteral(specifier) || !/^\..*(?<!\.json)$/.test(specifier.text))
        return;
      // AssemblyScript names files without an extension.
      const to = relative(SRC, join(dirname(path), specifier.text)).replace(/(?:\.js)?$/, ".ts");
      found.push({ from, to });
    };
    const visit = (node: TS.Node): void => {
      if (ts.isImportDeclaration(node)) add(node.moduleSpecifier);
      else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier);
      else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
        add(node.arguments[0]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
