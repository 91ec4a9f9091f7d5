import type { TooltipParts } from "./converter.js";
import type { System, TypeScript, TypeScriptInternals } from "./typescript.js";

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

type Checker = import("typescript").TypeChecker;
type Symbol = import("typescript").Symbol;
type Type = import("typescript").Type;
type SourceFile = import("typescript").SourceFile;

/** Number of options listed. */
const MAX_OPTIONS = 40;

/** Longer types of options are left out. */
const MAX_TYPE = 60;

/** The name of a type parameter says nothing. */
const TYPE_PARAMETER = /^[A-Z]$/;

/** Describes the name at a position; undefined if there is none. */
export function quickInfo(
  ts: TypeScript,
  documentationOf: DocumentationOf,
  file: SourceFile,
  checker: Checker,
  position: number,
): TooltipParts | undefined {
  const internals = ts as unknown as TypeScriptInternals;
  const node = internals.getTouchingPropertyName(file, position);
  const named = node === file ? undefined : checker.getSymbolAtLocation(node);
  if (named === undefined) return undefined;
  const symbol = named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  const documentation = (of: Symbol) => (of.declarations ?? []).map(documentationOf).find((text) => text !== undefined);
  const type = checker.getTypeOfSymbolAtLocation(symbol, node);
  const [prose = "", tags = ""] = splitTags(documentation(symbol) ?? "");
  const options = optionsOf(checker, type).map((option) => {
    const optional = option.flags & ts.SymbolFlags.Optional ? "?" : "";
    const types = checker.typeToString(checker.getTypeOfSymbolAtLocation(option, node)).split(" | ");
    const optionType = types.filter((each) => !TYPE_PARAMETER.test(each)).join(" | ");
    const shown = optionType === "" || optionType.length > MAX_TYPE ? "" : `: ${optionType}`;
    const [summary = ""] = splitTags(documentation(option) ?? "");
    return `  ${option.name}${optional}${shown}${summary === "" ? "" : ` - ${firstSentence(summary)}`}`;
  });
  const { displayParts = [] } = internals.SymbolDisplay.getSymbolDisplayPartsDocumentationAndSymbolKind(
    checker,
    named,
    file,
    internals.getContainerNode(node),
    node,
  );
  const list = options.length === 0 ? "" : `Options:\n${options.join("\n")}`;
  return {
    documentation: [prose, list, tags].filter((part) => part !== "").join("\n\n"),
    signature: displayParts.map(({ text }) => text).join(""),
  };
}

/** The members of the last parameter if it is called `options`. */
function optionsOf(checker: Checker, type: Type): Symbol[] {
  const parameters = type.getCallSignatures().map(({ parameters }) => parameters.at(-1));
  const parameter = parameters.find((each) => each !== undefined && /options$/i.test(each.name));
  if (parameter?.valueDeclaration === undefined) return [];
  const options = checker.getTypeOfSymbolAtLocation(parameter, parameter.valueDeclaration);
  return checker.getPropertiesOfType(checker.getNonNullableType(options)).slice(0, MAX_OPTIONS);
}

/** A doc comment as its prose and its tags. */
function splitTags(text: string): [prose: string, tags: string] {
  const at = text.search(/^@/m);
  return at < 0 ? [text, ""] : [text.slice(0, at).trim(), text.slice(at)];
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const end = line.indexOf(". ");
  return end < 0 ? line : line.slice(0, end + 1);
}
