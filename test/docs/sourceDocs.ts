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

/** The codes of errors with their meanings, from the comment of the type. */
export function errorCodes(): Array<readonly [code: string, meaning: string]> {
  const text = readText("src/errors/errorCode.ts");
  const meanings = new Map(
    [...text.matchAll(/^ \* \| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning as string]),
  );
  const codes = [...text.matchAll(/^ {2}\| "([A-Z_]+)"/gm)].map(([, code]) => code as string);
  for (const code of meanings.keys()) if (!codes.includes(code as string)) throw new Error(`no such code: ${code}`);
  return codes.map((code) => {
    const meaning = meanings.get(code);
    if (meaning === undefined) throw new Error(`the code ${code} has no meaning in the comment of ErrorCode`);
    return [code, meaning] as const;
  });
}
