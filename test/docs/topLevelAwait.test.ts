import { readFileSync } from "node:fs";
import { join } from "node:path";
import type TS from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "./markdown.js";
import { sourceFiles } from "./sourceImports.js";
import { ts } from "./typescript.js";

/**
 * The top-level constants and classes that code may use before they exist: they stand below a statement that waits, or never ends, and code
 * above that runs meanwhile names them, itself or through functions. A loop that never ends never lets them exist.
 */
function usedTooEarly(code: string): string[] {
  const statements = statementsOf(code);
  const functions = new Map(
    statements.flatMap((each) => (ts.isFunctionDeclaration(each) && each.name ? [[each.name.text, each]] : [])),
  );
  const found = statements.flatMap((statement, at) => {
    if (!waits(statement)) return [];
    const used = namesIn(statements.slice(0, at + 1).filter((each) => !ts.isFunctionDeclaration(each)));
    // A set also visits what is added to it meanwhile.
    for (const name of used) {
      const called = functions.get(name);
      if (called !== undefined) for (const each of namesIn([called])) used.add(each);
    }
    return statements
      .slice(at + 1)
      .flatMap(declaredNames)
      .filter((name) => used.has(name));
  });
  return [...new Set(found)];
}

function statementsOf(code: string): readonly TS.Statement[] {
  return ts.createSourceFile("a.ts", code, ts.ScriptTarget.Latest, true).statements;
}

/** Whether a statement awaits outside of functions, or is a loop without an end. */
function waits(node: TS.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true;
  if (ts.isWhileStatement(node) && node.expression.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (ts.isForStatement(node) && node.condition === undefined) return true;
  return ts.forEachChild(node, (child) => waits(child) || undefined) ?? false;
}

function namesIn(nodes: readonly TS.Node[]): Set<string> {
  const names = new Set<string>();
  const visit = (node: TS.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) names.add(node.text);
    if (ts.isPropertyAccessExpression(node)) visit(node.expression);
    else ts.forEachChild(node, visit);
  };
  nodes.forEach(visit);
  return names;
}

function declaredNames(statement: TS.Statement): string[] {
  if (ts.isClassDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) => [...namesIn([name])]);
}

describe("a top-level await or endless loop", () => {
  it("is found with the constants below it that it needs", () => {
    const loop = "for await (const message of socket) handle(message);\n";
    const rest = "function handle() { setTimeout(close, LIMIT); }\nfunction close() { new Last(); }\n";
    expect(usedTooEarly(`${loop}${rest}const LIMIT = 1, OTHER = 2;\nclass Last {}`)).toEqual(["LIMIT", "Last"]);
    expect(usedTooEarly(`const LIMIT = 1;\nclass Last {}\n${loop}${rest}`)).toEqual([]);
    expect(usedTooEarly("setInterval(tick);\nwhile (true) wait();\nconst [A] = [1];\nfunction tick() { A; }")).toEqual([
      "A",
    ]);
    expect(usedTooEarly("const run = async () => { await A; };\nconst A = 1;")).toEqual([]);
  });

  it("has them above it in every source file", () => {
    // Code at the top level is not indented. Parsing all files would take seconds on a busy machine.
    const mayWait = /^(?:(?:export )?(?:const|let) .*= await|await|for|while|do|if|try)\b/m;
    const codes = sourceFiles()
      .map((file) => [file, readFileSync(join(ROOT, "src", file), "utf8")] as const)
      .filter(([, code]) => mayWait.test(code));
    const waiting = codes.filter(([, code]) => statementsOf(code).some(waits));
    expect(waiting.map(([file]) => file)).toContain("kernel/protocol/socketWorker.ts");
    expect(codes.flatMap(([file, code]) => usedTooEarly(code).map((name) => `${name} in ${file}`))).toEqual([]);
  });
});
