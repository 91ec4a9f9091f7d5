import type { DocumentationOf } from "./hiddenDocumentation.js";
import type { TypeScript, TypeScriptInternals } from "./typescript.js";

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

/** What a tooltip says about a name. */
export interface TooltipParts {
  /** Its documentation: prose, then the options it takes, then examples and other tags. */
  readonly documentation: string;
  /** Its type, in one line or many. */
  readonly signature: string;
}

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
