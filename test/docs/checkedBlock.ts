import type TS from "typescript";

import { ts } from "./typescript.js";
/**
 * A block of an example as a module that checks itself: `expression; //=> literal` and `const name = …; //=> literal`
 * become assertions. A block that creates no client gets one of the embedded archive as `archive`.
 */
export function checkedBlock(code: string): string {
  const source = parse(code);
  const edits: Array<{ from: number; to: number; text: string }> = [];
  const lines: number[] = [];
  const visit = (node: TS.Node): void => {
    const expected = expectation(node, source);
    if (expected === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    const line = source.getLineAndCharacterOfPosition(node.end).line + 1;
    const same = (value: string) => `__same(${line}, await (${value}), ${expected});`;
    lines.push(line);
    if (ts.isExpressionStatement(node)) {
      edits.push({ from: node.getStart(source), to: node.end, text: same(node.expression.getText(source)) });
    } else if (ts.isVariableStatement(node)) {
      const [declaration] = node.declarationList.declarations;
      edits.push({ from: node.end, to: node.end, text: ` ${same(declaration?.name.getText(source) ?? "")}` });
    }
  };
  visit(source);
  for (const mark of code.matchAll(/\/\/=>/g)) {
    const line = source.getLineAndCharacterOfPosition(mark.index).line + 1;
    if (!lines.includes(line)) throw new Error(`line ${line}: the result follows no statement`);
  }
  let text = code;
  for (const { from, to, text: replacement } of edits.reverse()) {
    text = text.slice(0, from) + replacement + text.slice(to);
  }
  return transpiled(makesClient(code) ? PRELUDE + text : PRELUDE + CLIENT + text + CLOSE) + checkAll(lines);
}

const PRELUDE = `import { isDeepStrictEqual as __equal, inspect as __inspect } from "node:util";
const __seen = new Set();
const __same = (line, actual, expected) => {
  __seen.add(line);
  if (!__equal(actual, expected)) throw new Error(\`line \${line}: \${__inspect(actual)}, not \${__inspect(expected)}\`);
};
`;
const CLIENT = `import { openArchive as __openArchive } from "archive-frames";
const archive = await __openArchive({ announce: false });
`;
const CLOSE = "await archive.close();\n";

function checkAll(lines: readonly number[]): string {
  return `for (const line of ${JSON.stringify(lines)}) {
  if (!__seen.has(line)) throw new Error(\`line \${line} was not reached\`);
}
`;
}

function makesClient(code: string): boolean {
  return /\b(const|using) archive = /.test(code);
}

/** The result in the comment after a statement, as code; only literals can be checked. */
function expectation(node: TS.Node, source: TS.SourceFile): string | undefined {
  if (!ts.isExpressionStatement(node) && !ts.isVariableStatement(node)) return undefined;
  const [, text] = /^[ \t]*\/\/=>[ \t]*(.*)/.exec(source.text.slice(node.end)) ?? [];
  if (text === undefined) return undefined;
  const statement = parse(`(${text});`).statements[0];
  if (statement === undefined || !ts.isExpressionStatement(statement) || !isLiteral(statement.expression)) {
    throw new Error(`"//=> ${text}" is not a literal. Put explanations behind // instead`);
  }
  return text;
}

function isLiteral(node: TS.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isLiteral(node.expression);
  if (ts.isPrefixUnaryExpression(node)) return isLiteral(node.operand);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every((member) => ts.isPropertyAssignment(member) && isLiteral(member.initializer));
  }
  const { kind } = node;
  const words = [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword];
  return ts.isLiteralExpression(node) || words.includes(kind) || node.getText() === "undefined";
}

function parse(code: string): TS.SourceFile {
  return ts.createSourceFile("block.ts", code, ts.ScriptTarget.Latest, true);
}

function transpiled(code: string): string {
  return ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, removeComments: false },
  }).outputText;
}
