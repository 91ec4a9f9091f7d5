import { join } from "node:path";
import ts from "typescript";
import { ROOT, readText } from "./markdown.js";

/** A member of an interface, and what its comment says. */
export interface DocumentedMember {
  readonly name: string;
  readonly text: string;
}

/** The members of an interface in a source file, with their comments: what users read is what the code says. */
export function documentedMembers(path: string, interfaceName: string): DocumentedMember[] {
  const source = ts.createSourceFile(join(ROOT, path), readText(path), ts.ScriptTarget.Latest, true);
  const found = source.statements.find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === interfaceName,
  );
  if (found === undefined) throw new Error(`${path} has no interface ${interfaceName}`);
  return found.members.map((member) => {
    const name = member.name?.getText(source) ?? "";
    const text = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc)?.comment);
    if (text === undefined) throw new Error(`${interfaceName}.${name} in ${path} has no comment`);
    return { name, text: text.replace(/\s+/g, " ") };
  });
}

/** The codes of errors with their classes and meanings, from the comment of `ErrorCode`. */
export function errorCodes(): Array<readonly [code: string, classes: string, meaning: string]> {
  const text = readText("src/errors/errorCode.ts");
  const rows = [...text.matchAll(/^ \* \| `([A-Z_]+)` \| (.+?) \| (.+) \|$/gm)];
  const documented = rows.map(([, code = "", classes = "", meaning = ""]) => [code, classes, meaning] as const);
  const declared = new Set([...text.matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code as string));
  for (const [code] of documented)
    if (!declared.delete(code)) throw new Error(`no such code, or it is listed twice: ${code}`);
  for (const code of declared) throw new Error(`the code ${code} has no meaning in the comment of ErrorCode`);
  return documented;
}
