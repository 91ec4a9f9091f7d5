import { OUTPUT_DEFAULTS } from "../../src/call/clientSettings.js";
import { type OperationName, toDataFrame } from "../../src/index.js";
import { DEFAULTS } from "../../src/service/http/options.js";
import { firstOf, isSearch, type Operation, operations } from "../../src/service/operations/operations.js";
import type { Parameter } from "../../src/service/operations/parameters.js";
import { headingsOf } from "./markdown.js";
import { type ApiExport, type ApiMember, ENTRY_POINTS, parameterComments, publicApi } from "./publicApi.js";

/** The pages of `archive-frames`, each with the titles of its sections by the module that declares an export. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  client: { "": "Client" },
  calls: { call: "Calls", scan: "Lazy frames" },
  frames: { frames: "Frames", members: "Speakers", files: "Files", tables: "SQL" },
  studies: { speeches: "Speeches on a bill", responses: "Snapshots" },
  errors: { service: "Parameters, rows and provenance", errors: "Errors", util: "Other" },
};

/** What is above this line in `src/API.md` is written by hand. */
export const MARKER = "<!-- generated: npm run docs -->";

/** The pages below `src/api` with every export of every entry point, from the sources. */
export function apiPages(): ReadonlyMap<string, string> {
  const placed = Object.values(PAGES).flatMap(Object.keys);
  const lost = publicApi.find((one) => one.entryPoint === "archive-frames" && !placed.includes(moduleOf(one)));
  if (lost !== undefined) throw new Error(`no page has the module of ${lost.name}: add it to PAGES`);
  const pages = Object.keys(ENTRY_POINTS).flatMap((entryPoint) => {
    const exported = publicApi.filter((one) => one.entryPoint === entryPoint);
    const page = (name: string, sections: readonly string[]) =>
      [name, `${[`# ${entryPoint}`, `[Index](../API.md)`, ...sections].join("\n\n")}\n`] as const;
    if (entryPoint !== "archive-frames") return [page(entryPoint.replace("archive-frames/", ""), exportList(exported))];
    return Object.entries(PAGES).map(([name, titles]) => page(name, sectionsOf(exported, titles)));
  });
  return new Map(pages.map(([name, text]) => [`src/api/${name}.md`, text]));
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

function sectionsOf(exported: readonly ApiExport[], titles: Readonly<Record<string, string>>): string[] {
  return Object.entries(titles).flatMap(([module, title]) => {
    const own = exported.filter((one) => moduleOf(one) === module && !INTERFACES.has(one.name));
    const section = [`## ${title}`, ...exportList(own)];
    return module === "" ? [...section, "## Operations of the service", ...operationSections()] : section;
  });
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
  if (short.length === 0) return sections;
  const rows = short.map(({ name, kind, signature, doc }) => [
    code(name),
    signature === "" ? kind : code(signature),
    oneLine(doc),
  ]);
  return [...sections, table(["also exported", "type", "meaning"], rows)];
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
  const { kind, name, signature, members } = one;
  const methods = members.filter(({ isMethod }) => isMethod);
  const opening: Record<ApiExport["kind"], string> = {
    class: signature && `Class, ${code(signature)}.`,
    interface: signature && `${code(signature)}.`.replace("`extends ", "Extends `"),
    function: code(signature),
    type: members.length === 0 && signature !== "" ? code(signature) : "",
    const: signature && code(signature),
  };
  return blocks(
    `${level} \`${name}\``,
    opening[kind],
    one.doc,
    memberTable(one.parameters, "parameter"),
    one.returns === "" ? "" : `Returns ${lowerFirst(one.returns)}`,
    ...one.throws.map((text) => `Throws ${text}`),
    examples(one.examples),
    memberTable(
      members.filter(({ isMethod }) => !isMethod),
      kind === "class" ? "property" : "member",
      name,
    ),
    methodTable(methods),
    examples(methods.flatMap((method) => method.examples)),
  );
}

function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function memberTable(members: readonly ApiMember[], what: string, owner = ""): string {
  if (members.length === 0) return "";
  const withDefaults = members.map((member) => ({ member, ...splitDefault(member, owner) }));
  const hasDefaults = withDefaults.some(({ standard }) => standard !== "");
  return table(
    hasDefaults ? [what, "type", "default", "meaning"] : [what, "type", "meaning"],
    withDefaults.map(({ member: { name, optional, type }, standard, meaning }) => [
      code(`${name}${optional ? "?" : ""}`),
      type === "" ? "" : code(type),
      ...(hasDefaults ? [oneLine(standard)] : []),
      oneLine(meaning),
    ]),
  );
}

function methodTable(members: readonly ApiMember[]): string {
  if (members.length === 0) return "";
  return table(
    ["method", "meaning"],
    members.map(({ signature, doc }) => [code(signature), oneLine(doc)]),
  );
}

const KNOWN_DEFAULTS: Readonly<Record<string, unknown>> = { ...DEFAULTS, ...OUTPUT_DEFAULTS };

/** Takes `Default: …` out of a comment. A number has to be the one in the code. */
function splitDefault({ name, doc }: ApiMember, owner: string): { standard: string; meaning: string } {
  const [stated, value] = /\bDefault:? ((?:`[^`]*`|"[^"]*"|[^.;]|\.(?=\S))+)[.;]?(?= |\n|$)/.exec(doc) ?? [];
  if (stated === undefined || value === undefined) return { standard: "", meaning: doc };
  const known = KNOWN_DEFAULTS[name];
  if (typeof known === "number" && /^(ClientOptions|OutputOptions)$/.test(owner)) {
    const number = Number.parseFloat(value.replace(/[`,]/g, "")) * (value.includes("MiB") ? 2 ** 20 : 1);
    if (number !== known) throw new Error(`the comment of ${name} says ${value}, the code ${known}`);
  }
  const [before = "", after = ""] = doc.split(stated).map((part) => part.trim());
  const rest = `${after.charAt(0).toUpperCase()}${after.slice(1)}`;
  return { standard: value, meaning: `${before} ${rest}`.trim() };
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
    ...{ name, signature: name, isMethod: false, optional: !required, examples: [] },
    ...{ type, doc: parameterComments[operation]?.[name] ?? "" },
  }));
}

function operationSections(): string[] {
  return (Object.keys(operations) as OperationName[]).map((name) => {
    const { path, rows }: Operation = operations[name];
    const methods = publicApi.find((one) => one.name === "ArchiveClient")?.members ?? [];
    const purpose = oneLine(methods.find((method) => method.name === name)?.doc ?? "");
    const meanings = meaningsOf(name);
    const where = rows === undefined ? "The body is the row." : `Rows are in \`${rows}\`.`;
    return blocks(
      `### \`archive.${name}\``,
      code(operationSignature(name)),
      `${purpose} \`GET ${path}\`. ${where} Type of a row: ${code(DESCRIBED[name])}.`,
      memberTable(parametersOf(name), "parameter"),
      table(
        ["column", "dtype", "meaning"],
        columnsOf(name).map(([column, dtype]) => [code(column), dtype, meanings.get(column) ?? ""]),
      ),
    );
  });
}

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
  const first = firstOf(name);
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

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** A cell of a table is one line. */
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
