import { OUTPUT_DEFAULTS } from "../../src/call/clientContext.js";
import { type OperationName, toDataFrame } from "../../src/index.js";
import { DEFAULTS } from "../../src/service/http/options.js";
import type { Parameter } from "../../src/service/operations/parameters.js";
import { firstArgument, isSearch, type Operation, operations } from "../service/operations.js";
import { headingsOf } from "./markdown.js";
import { type ApiExport, type ApiMember, ENTRY_POINTS, parameterComments, publicApi, typed } from "./publicApi.js";

const OPERATIONS = "Operations";

/** The sections of `archive-frames`, with the modules that declare their exports, and with exports of other modules. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Client: ["", "ClientOptions", "OutputOptions", "ArchiveClientOptions", "ProgressEvent", "ProgressOption"],
  [OPERATIONS]: ["service"],
  Calls: ["call"],
  "Lazy frames": ["scan"],
  Frames: ["frames", "members", "util"],
  Files: ["files"],
  SQL: ["tables"],
  "Speeches on a bill": ["speeches"],
  Snapshots: ["responses"],
  Provenance: ["Provenance", "Verdict", "provenanceOf", "methodsOf", "Step", "FileProvenance"],
  Errors: ["errors"],
};

/** What is above this line in `src/API.md` is written by hand. */
export const MARKER = "<!-- generated: npm run docs -->";

/** The pages below `src/api`, one for each entry point, with every export, from the sources. */
export function apiPages(): ReadonlyMap<string, string> {
  const lost = publicApi.find((one) => one.entryPoint === MAIN && sectionOf(one) === undefined);
  if (lost !== undefined) throw new Error(`no section has the module of ${lost.name}: add it to SECTIONS`);
  return new Map(
    Object.keys(ENTRY_POINTS).map((entryPoint) => {
      const exported = publicApi.filter((one) => one.entryPoint === entryPoint);
      const sections = entryPoint === MAIN ? mainSections(exported) : exportList(exported);
      const text = blocks(`# ${entryPoint}`, "[Index](../API.md)", ...sections);
      return [`src/api/${entryPoint.replace("archive-frames/", "")}.md`, `${text}\n`];
    }),
  );
}

/** The generated part of `src/API.md`: a line for each section of each page. */
export function apiIndex(pages: ReadonlyMap<string, string>): string {
  const lines = [...pages].flatMap(([path, text]) => indexLines(path.replace("src/", ""), text));
  return `${lines.join("\n")}\n`;
}

/** Each section with links to what it describes; what only one function names is below that function. */
function indexLines(path: string, text: string): string[] {
  const lines: string[] = [];
  for (const { level, title, anchor } of headingsOf(text).filter((heading) => heading.level <= 3)) {
    const link = `[${title}](${path}#${anchor})`;
    if (level === 1) lines.push(`- **[${title}](${path})**`);
    else if (title.startsWith("`")) lines.push(`${lines.pop()} ${link}`);
    else if (/^- \*\*[^ ]*$/.test(lines.at(-1) ?? "")) lines.push(`${lines.pop()} · ${link}:`);
    else lines.push(`- ${link}:`);
  }
  return lines;
}

const MAIN = "archive-frames";
const CLIENT = "ArchiveClient";

function mainSections(exported: readonly ApiExport[]): string[] {
  return Object.keys(SECTIONS).flatMap((title) => {
    const own = exported.filter((one) => sectionOf(one) === title && !INTERFACES.has(one.name));
    return [`## ${title}`, ...(title === OPERATIONS ? operationSections() : []), ...exportList(own)];
  });
}

/** The section of an export: one that names it, otherwise that of its module. */
function sectionOf(one: ApiExport): string | undefined {
  const titles = Object.keys(SECTIONS);
  const naming = (name: string) => titles.find((title) => SECTIONS[title]?.includes(name));
  return naming(one.name) ?? naming(moduleOf(one));
}

function moduleOf({ file }: ApiExport): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : "";
}

const KIND_ORDER: ReadonlyArray<ApiExport["kind"]> = ["class", "function", "const", "interface", "type"];

/** Classes first, then functions, constants and types; what needs no section of its own follows in one table. */
function exportList(exported: readonly ApiExport[]): string[] {
  const rank = ({ kind }: ApiExport) => KIND_ORDER.indexOf(kind);
  const sorted = exported.toSorted((a, b) => rank(a) - rank(b));
  const short = sorted.filter(isShort);
  const long = sorted.filter((one) => !isShort(one));
  const owners = new Map(long.map((one) => [one, ownerOf(one, long)]));
  const sections = long
    .filter((one) => owners.get(one) === undefined)
    .flatMap((one) => [one, ...long.filter((type) => owners.get(type) === one)])
    .map((one) => exportSection(one, owners.get(one) === undefined ? "###" : "####"));
  const types = short.map(({ name, signature, doc }) => [
    code(name),
    signature === "" ? doc : `${code(signature)}. ${doc}`,
  ]);
  return types.length === 0 ? sections : [...sections, "Also exported:", list(types)];
}

function isShort({ name, kind, members, examples }: ApiExport): boolean {
  const alone = kind === "type" || kind === "const" || kind === "interface";
  return alone && members.length === 0 && examples.length === 0 && name !== "ErrorCode";
}

/** The only function or class of the page that names a type, the options of one for example: the type is described below it. */
function ownerOf(type: ApiExport, page: readonly ApiExport[]): ApiExport | undefined {
  if (type.name === "ErrorCode" || (type.kind !== "interface" && type.kind !== "type")) return undefined;
  const name = new RegExp(`\\b${type.name}\\b`);
  const users = page.filter((one) => one !== type && textsOf(one).some((text) => name.test(text)));
  const [only] = users;
  return users.length === 1 && (only?.kind === "function" || only?.kind === "class") ? only : undefined;
}

/** The types that an export names. */
function textsOf({ signature, parameters, members }: ApiExport): string[] {
  return [signature, ...[...parameters, ...members].flatMap((member) => [member.signature, member.type])];
}

function exportSection(one: ApiExport, level: string): string {
  const { kind, name, signature, members, parameters } = one;
  const described = members.filter((member) => !isDescribedElsewhere(member, one));
  const opening: Record<ApiExport["kind"], string> = {
    class: signature && code(`class ${name} ${signature}`),
    interface: signature && `${code(signature)}.`.replace("`extends ", "Extends `"),
    function: code(signature),
    type: members.length === 0 && signature !== "" ? code(signature) : "",
    const: signature && code(signature),
  };
  return blocks(
    `${level} ${code(name)}`,
    opening[kind],
    one.doc.replace(level === "####" ? /^Options of `[^`]*`[.,]\s*/ : /^Options of [^.]*\.$/, ""),
    list(parameters.filter(({ doc }) => doc !== "").map((parameter) => [code(parameter.name), parameter.doc])),
    one.returns === "" ? "" : `Returns ${lowerFirst(one.returns)}.`,
    ...one.throws.map((text) => `Throws ${text}.`),
    examples(one.examples),
    name === CLIENT ? `Its operations are described [below](#${OPERATIONS.toLowerCase()}).` : "",
    memberList(described, name),
    examples(described.filter(({ isMethod }) => isMethod).flatMap((method) => method.examples)),
  );
}

/**
 * Whether a member is one of the six operations, which have sections, a base class describes it in the same words, or it is a column of
 * mentions in rows of another kind.
 */
function isDescribedElsewhere({ name, doc }: ApiMember, owner: ApiExport): boolean {
  if (owner.name === CLIENT && name in operations) return true;
  const base = publicApi.find((one) => owner.signature === `extends ${one.name}`);
  if (base?.kind === "class") return base.members.some((member) => member.name === name && member.doc === doc);
  return owner.name === "SpeechRow" && meaningsOf("mentions").get(name) === doc;
}

function blocks(...parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

function memberList(members: readonly ApiMember[], owner = ""): string {
  for (const member of members) checkDefault(member, owner);
  const sorted = members.toSorted((a, b) => Number(a.isMethod) - Number(b.isMethod));
  return list(sorted.map((member) => [code(member.isMethod ? member.signature : typed(member)), member.doc]));
}

const KNOWN_DEFAULTS: Readonly<Record<string, unknown>> = { ...DEFAULTS, ...OUTPUT_DEFAULTS };

/** A number that a comment gives as the default of an option of the client has to be the one in the code. */
function checkDefault({ name, doc }: ApiMember, owner: string): void {
  const known = KNOWN_DEFAULTS[name];
  if (typeof known !== "number" || !/^(ClientOptions|OutputOptions)$/.test(owner)) return;
  const [, value = ""] = /\bDefault:? ([\d.,]+(?: MiB)?)/.exec(doc) ?? [];
  const number = Number.parseFloat(value.replaceAll(",", "")) * (value.includes("MiB") ? 2 ** 20 : 1);
  if (number !== known) throw new Error(`the comment of ${name} says ${value}, the code ${known}`);
}

/** The interfaces of the rows of each operation. */
const DESCRIBED: Readonly<Record<OperationName, string>> = {
  bills: "BillRow",
  mentions: "MentionRow",
  people: "PersonRow",
  person: "PersonRow",
  programsSearch: "ProgramRow",
  program: "ProgramDetailsRow",
};

/** They are described with their operation. */
const INTERFACES = new Set(Object.values(DESCRIBED));

/** The comments of the columns of an operation. */
function meaningsOf(operation: OperationName): Map<string, string> {
  const { members = [] } = publicApi.find((one) => one.name === DESCRIBED[operation]) ?? {};
  return new Map(members.map(({ name, doc }) => [name, oneLine(doc)]));
}

function parametersOf(operation: OperationName): ApiMember[] {
  return Object.entries<Parameter<unknown>>(operations[operation].parameters).map(([name, { type, required }]) => ({
    name,
    signature: name,
    isMethod: false,
    optional: !required,
    examples: [],
    type,
    doc: parameterComments[operation]?.[name] ?? "",
  }));
}

function operationSections(): string[] {
  return (Object.keys(operations) as OperationName[]).map((name) => {
    const { path, rows }: Operation = operations[name];
    const { members } = publicApi.find((one) => one.name === CLIENT) as ApiExport;
    const { doc, examples: calls } = members.find((one) => one.name === name) as ApiMember;
    const meanings = meaningsOf(name);
    const search = SAME_COLUMNS[name];
    const others = search === undefined ? [] : columnsOf(search).map(([column]) => column);
    const columns = columnsOf(name).filter(([column]) => !others.includes(column));
    return blocks(
      `### \`archive.${name}\``,
      code(operationSignature(name)),
      `${oneLine(doc)} \`GET ${path}\`${rows === undefined ? "" : `, rows in \`${rows}\``}. Type of a row: ${code(DESCRIBED[name])}.`,
      examples(calls),
      memberList(parametersOf(name)),
      search === undefined
        ? "Columns:"
        : `Columns: those of \`archive.${search}\`${columns.length === 0 ? "." : ", and:"}`,
      list(columns.map(([column, dtype]) => [`${code(column)} (${dtype})`, meanings.get(column) ?? ""])),
    );
  });
}

/** Searches whose columns a lookup has, too. */
const SAME_COLUMNS: Readonly<Partial<Record<OperationName, OperationName>>> = {
  person: "people",
  program: "programsSearch",
};

/** What each declared column means, by operation: for codebooks, which have no comments at run time. */
export function columnMeanings(): string {
  const meanings = (Object.keys(operations) as OperationName[]).map((name) => {
    const docs = meaningsOf(name);
    return [name, Object.fromEntries(columnsOf(name).map(([column]) => [column, docs.get(column)]))];
  });
  return `${JSON.stringify(Object.fromEntries(meanings), undefined, 2)}\n`;
}

function operationSignature(name: OperationName): string {
  const { parameters }: Operation = operations[name];
  const first = firstArgument(name);
  const others = Object.keys(parameters).filter((parameter) => parameter !== first);
  const options = [...others, ...(isSearch(name) ? ["maxItems"] : []), "format", "engine", "signal"];
  return `archive.${name}(${first}${parameters[first]?.required ? "" : "?"}, { ${options.join(", ")} })`;
}

/** The columns of an empty result, as the frame itself reports them. */
function columnsOf(operation: OperationName): Array<[name: string, dtype: string]> {
  const frame = toDataFrame([], { operation });
  // "DataType(Datetime(us,UTC))" without the wrapper.
  const dtypeName = (dtype: unknown) => String(dtype).replace(/^DataType\((.*)\)$/, "$1");
  return frame.columns.map((name, at) => [name, dtypeName(frame.dtypes[at]).replaceAll(",", ", ")]);
}

function list(entries: ReadonlyArray<readonly string[]>): string {
  return entries.map(([name = "", meaning = ""]) => `- ${name}${meaning && `: ${oneLine(meaning)}`}`).join("\n");
}

/** An entry of a list is one line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function examples(texts: readonly string[]): string {
  return texts.length === 0 ? "" : `\`\`\`typescript\n${texts.map((text) => text.trim()).join("\n\n")}\n\`\`\``;
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
