import type { System, TypeScript } from "./typescript.js";

type Node = import("typescript").Node;

/** Declarations of packages, including TypeScript's own library files. */
const PACKAGES = /[\\/]node_modules[\\/].*\.d\.[cm]?ts$/;

/** A doc comment at the start of a line; nothing else in a declaration file looks like that. */
const COMMENT = /^[ \t]*\/\*\*(?!\/)[^*]*(?:\*(?!\/)[^*]*)*\*\//gm;

/** The doc comment of a declaration, without its markers; undefined if there is none. */
export type DocumentationOf = (declaration: Node) => string | undefined;

/**
 * Hides the doc comments in the declarations of packages from TypeScript: they are two thirds of three megabytes, all of which it
 * would parse before the first cell.
 *
 * @returns reads the documentation of a declaration from its file
 */
export function hideDocumentation(ts: TypeScript, sys: System): DocumentationOf {
  const { readFile } = sys;
  sys.readFile = (path, encoding) => {
    const text = readFile.call(sys, path, encoding);
    return PACKAGES.test(path) ? text?.replace(COMMENT, "") : text;
  };
  return (declaration) => {
    const file = declaration.getSourceFile();
    // The name of a variable is declared inside of the statement that has the comment.
    const node = ts.findAncestor(declaration, (each) => each.parent?.parent?.kind !== ts.SyntaxKind.VariableStatement);
    const at = node?.parent && ts.isVariableStatement(node.parent) ? node.parent : (node ?? declaration);
    const [from, to] = [at.getFullStart(), at.getStart(file)];
    if (!PACKAGES.test(file.fileName)) return textOf(file.text.slice(from, to).match(COMMENT)?.at(-1));
    let hidden = 0;
    let found: string | undefined;
    for (const { 0: comment, index } of (readFile.call(sys, file.fileName) ?? "").matchAll(COMMENT)) {
      if (index - hidden > to) break;
      if (index - hidden >= from) found = comment;
      hidden += comment.length;
    }
    return textOf(found);
  };
}

function textOf(comment: string | undefined): string | undefined {
  return comment
    ?.replace(/^\s*\/\*\*|\*\/$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .trim();
}
