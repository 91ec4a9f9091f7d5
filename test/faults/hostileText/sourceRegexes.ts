import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../../docs/markdown.js";
import { sourceFiles } from "../../docs/sourceImports.js";

/** A regular expression in the source code. */
export interface SourceRegex {
  /** Path below `src`. */
  readonly file: string;
  /** The literal, or the call that constructs the expression. */
  readonly text: string;
  /** Undefined if it is constructed at run time. */
  readonly regex: RegExp | undefined;
}

/** Every regular expression literal and every `RegExp(…)` below `src`. */
export function sourceRegexes(): SourceRegex[] {
  return sourceFiles().flatMap((file) => {
    const code = readFileSync(join(ROOT, "src", file), "utf8");
    const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
    const found: SourceRegex[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.push({ file, text: node.text, regex: literal(node.text) });
      else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
        found.push({ file, text: node.getText(), regex: undefined });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function literal(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}
