import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type TS from "typescript";
import { ROOT } from "./markdown.js";
import { ts } from "./typescript.js";

/** The entry points of the package and their source files. */
export const ENTRY_POINTS: Readonly<Record<string, string>> = {
  "archive-frames": "src/index.ts",
  "archive-frames/notebook": "src/notebook.ts",
  "archive-frames/embedded": "src/embedded/index.ts",
  "archive-frames/text": "src/text/index.ts",
  "archive-frames/members": "src/members/index.ts",
  "archive-frames/corpus": "src/corpus/index.ts",
  "archive-frames/coding": "src/coding/index.ts",
  "archive-frames/fleet": "src/fleet/index.ts",
};

/** A member of an interface or class, or a parameter of a function. */
export interface ApiMember {
  readonly name: string;
  /** `name(a, b?)` of a method, the bare name of anything else. */
  readonly signature: string;
  readonly isMethod: boolean;
  readonly optional: boolean;
  /** As the source spells it; empty for methods. */
  readonly type: string;
  readonly doc: string;
  readonly examples: readonly string[];
}

/** One export of an entry point. */
export interface ApiExport {
  readonly name: string;
  readonly entryPoint: string;
  readonly kind: "class" | "function" | "interface" | "type" | "const";
  /** Source file, from `src`. */
  readonly file: string;
  readonly doc: string;
  readonly examples: readonly string[];
  /** `name(a: A, b?: B): C` of a function, `extends Base` of a class or interface, the text of a short type. */
  readonly signature: string;
  readonly members: readonly ApiMember[];
  readonly parameters: readonly ApiMember[];
  readonly returns: string;
  readonly throws: readonly string[];
}

/** Types longer than this say less than the description beside them. */
const MAX_TYPE_LENGTH = 70;

let checker: TS.TypeChecker;

/** The comments of the parameters of an operation, by name. */
type ParameterComments = Readonly<Record<string, string>>;

interface Documented {
  /** Every export of every entry point, read with the compiler. A name that two entry points export appears once. */
  readonly publicApi: readonly ApiExport[];
  /** By operation. */
  readonly parameterComments: Readonly<Record<string, ParameterComments>>;
}

export const { publicApi, parameterComments }: Documented = onceInRun(readSources);

/** What the first process of a run has read: the compiler takes seconds. */
function onceInRun<T>(read: () => T): T {
  const path = join(process.env.RUN_DIRECTORY ?? "", "publicApi.json");
  if (!existsSync(path)) {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(read()));
    renameSync(`${path}.${process.pid}`, path);
  }
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function readSources(): Documented {
  const paths = Object.values(ENTRY_POINTS).map((path) => join(ROOT, path));
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(paths, { ...options, noEmit: true, stripInternal: false });
  checker = program.getTypeChecker();
  const seen = new Set<TS.Symbol>();
  const publicApi = Object.entries(ENTRY_POINTS).flatMap(([entryPoint, path]) => {
    const source = program.getSourceFile(join(ROOT, path));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${path} is not a module`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      // What is exported with all of a module has no name of its own.
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (seen.has(symbol)) return [];
      seen.add(symbol);
      return [describeExport(exported.name, symbol, entryPoint)];
    });
  });
  return { publicApi, parameterComments: readParameterComments(program) };
}

function readParameterComments(program: TS.Program): Documented["parameterComments"] {
  const source = program.getSourceFile(join(ROOT, "src/service/operations/operations.ts")) as TS.SourceFile;
  const module = checker.getSymbolAtLocation(source) as TS.Symbol;
  const table = checker.getExportsOfModule(module).find(({ name }) => name === "operations") as TS.Symbol;
  const membersOf = (symbol: TS.Symbol) => checker.getTypeOfSymbol(symbol).getProperties();
  const entries = membersOf(table).map((operation) => {
    const parameters = membersOf(operation).find(({ name }) => name === "parameters") as TS.Symbol;
    return [operation.name, Object.fromEntries(membersOf(parameters).map((one) => [one.name, documentation(one)]))];
  });
  return Object.fromEntries(entries);
}

function describeExport(name: string, symbol: TS.Symbol, entryPoint: string): ApiExport {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) throw new Error(`${name} has no declaration`);
  const file = relative(join(ROOT, "src"), declaration.getSourceFile().fileName);
  const base = {
    name,
    entryPoint,
    file,
    doc: documentation(symbol),
    examples: tagTexts(symbol, "example"),
    throws: tagTexts(symbol, "throws"),
    returns: tagTexts(symbol, "returns").join(" "),
    members: [],
    parameters: [],
  };
  if (ts.isFunctionDeclaration(declaration)) {
    const longest = longestSignature(symbol);
    const result = shortType(longest.type);
    const parameters = parametersOf(longest);
    const signature = `${name}(${parameters.map(typed).join(", ")})${result && `: ${result}`}`;
    return { ...base, kind: "function", signature, parameters };
  }
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    const kind = ts.isClassDeclaration(declaration) ? "class" : "interface";
    return { ...base, kind, signature: heritage(declaration), members: membersOf(type, declaration) };
  }
  if (ts.isTypeAliasDeclaration(declaration)) {
    const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
    const members = isObject && declaration.typeParameters === undefined ? membersOf(type, declaration) : [];
    // An alias with parameters says little without them.
    const signature = declaration.typeParameters === undefined ? shortType(declaration.type) : "";
    return { ...base, kind: "type", signature, members };
  }
  const text = checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, declaration));
  return { ...base, kind: "const", signature: text.length <= MAX_TYPE_LENGTH ? text : "" };
}

/** Public members that our own sources declare; what a base class of ours adds is described there. */
function membersOf(type: TS.Type, owner: TS.Declaration): ApiMember[] {
  const ownOnly = ts.isClassDeclaration(owner) || ts.isInterfaceDeclaration(owner);
  return type.getProperties().flatMap((member) => {
    const declaration = member.declarations?.[0];
    if (declaration === undefined || /node_modules/.test(declaration.getSourceFile().fileName)) return [];
    // The members of parameters and rows are those of a table.
    if (ownOnly && declaration.parent !== owner && !isEntry(declaration)) return [];
    return isHidden(declaration) ? [] : [describeMember(member, declaration)];
  });
}

function isHidden(declaration: TS.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  if (name !== undefined && (ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name))) return true;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (ts.getCombinedModifierFlags(declaration) & hidden) return true;
  return ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === "internal");
}

function describeMember(member: TS.Symbol, declaration: TS.Declaration): ApiMember {
  const isMethod = (member.flags & ts.SymbolFlags.Method) !== 0;
  return {
    name: member.name,
    signature: isMethod ? shortSignature(member.name, longestSignature(member)) : member.name,
    isMethod,
    optional: (member.flags & ts.SymbolFlags.Optional) !== 0,
    type: isMethod ? "" : memberType(member, declaration),
    doc: documentation(member),
    examples: tagTexts(member, "example"),
  };
}

/** Whether it is an entry of a table, from which the types of parameters and rows follow. */
function isEntry(declaration: TS.Declaration): boolean {
  return ts.isPropertyAssignment(declaration) || ts.isShorthandPropertyAssignment(declaration);
}

function memberType(member: TS.Symbol, declaration: TS.Declaration): string {
  if (!isEntry(declaration)) return shortType((declaration as TS.PropertySignature).type);
  return checker.typeToString(checker.getTypeOfSymbol(member)).replace(/ \| undefined$/, "");
}

/** The declaration with the most parameters, which is not the implementation behind overloads. */
function longestSignature(symbol: TS.Symbol): TS.SignatureDeclaration {
  const all = (symbol.declarations ?? []).filter(ts.isFunctionLike);
  const [first] = all.toSorted((a, b) => b.parameters.length - a.parameters.length);
  if (first === undefined) throw new Error(`${symbol.name} has no signature`);
  return first;
}

function shortSignature(name: string, { parameters }: TS.SignatureDeclaration): string {
  const names = parameters.map((parameter) => {
    const text = parameter.name.getText();
    if (parameter.dotDotDotToken !== undefined) return text === "options" ? "options?" : `...${text}`;
    return `${text}${parameter.questionToken !== undefined || parameter.initializer !== undefined ? "?" : ""}`;
  });
  return `${name}(${names.join(", ")})`;
}

/** `name?: type` of a member or parameter. */
export function typed({ name, optional, type }: ApiMember): string {
  return `${name}${optional ? "?" : ""}${type && `: ${type}`}`;
}

function parametersOf(signature: TS.SignatureDeclaration): ApiMember[] {
  return signature.parameters.map((parameter) => {
    const symbol = checker.getSymbolAtLocation(parameter.name);
    const name = parameter.name.getText();
    return {
      name,
      signature: name,
      isMethod: false,
      optional: parameter.questionToken !== undefined || parameter.initializer !== undefined,
      type: shortType(parameter.type),
      doc: symbol === undefined ? "" : documentation(symbol),
      examples: [],
    };
  });
}

function heritage(declaration: TS.ClassDeclaration | TS.InterfaceDeclaration): string {
  const names = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => flat(type.getText())));
  return names.length === 0 ? "" : `extends ${names.join(", ")}`;
}

/** A type as the source spells it, without the `| undefined` of options; empty if it is inferred, or too long to help. */
function shortType(node: TS.TypeNode | undefined): string {
  const text = flat(node?.getText() ?? "").replace(/ \| undefined$/, "");
  return text.length <= MAX_TYPE_LENGTH ? text : "";
}

function documentation(symbol: TS.Symbol): string {
  return linked(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
}

/** The texts of a tag; of overloads that share a comment, once. */
function tagTexts(symbol: TS.Symbol, name: string): string[] {
  const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name === name);
  return [...new Set(tags.map(({ text }) => linked(ts.displayPartsToString(text))))];
}

function linked(text: string): string {
  return text
    .replace(
      /\{@link ([^}|]+?)(?:\s*\|\s*([^}]+))?\}/g,
      (_all, target: string, label?: string) => `\`${(label ?? target).trim()}\``,
    )
    .trim();
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
