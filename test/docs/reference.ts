import { OUTPUT_DEFAULTS } from "../../src/call/clientSettings.js";
import { type OperationName, operations, toDataFrame } from "../../src/index.js";
import { DEFAULTS } from "../../src/service/http/options.js";
import type { Operation } from "../../src/service/operations/operations.js";
import { isSearch } from "../../src/service/operations/operations.js";
import { type DocumentedMember, documentedMembers, errorCodes } from "./sourceDocs.js";

/** Where the reference stands in the README. */
export const MARKERS = ["<!-- api:begin -->", "<!-- api:end -->"] as const;

/** The API reference of the README, from the table of operations and the comments of the code. */
export function reference(): string {
  const names = Object.keys(operations) as OperationName[];
  return [
    ...names.map(operationSection),
    callOptionSection(),
    clientOptionSection(),
    heading("Error codes"),
    table(
      ["code", "class", "meaning"],
      errorCodes().map(([code, classes, meaning]) => [`\`${code}\``, classes, meaning]),
    ),
  ].join("\n\n");
}

function operationSection(name: OperationName): string {
  const { path, purpose, rows, parameters }: Operation = operations[name];
  const where = rows === undefined ? "The body is the row." : `Rows are in \`${rows}\`.`;
  return [
    heading(`\`${signature(name)}\``),
    `${purpose} \`GET ${path}\`. ${where}`,
    table(
      ["parameter", "type", "required", "note"],
      Object.entries(parameters).map(([parameter, { type, required, note }]) => [
        `\`${parameter}\``,
        `\`${type}\``,
        required ? "yes" : "no",
        note,
      ]),
    ),
    `Columns: ${columns(name)}.`,
  ].join("\n\n");
}

function signature(name: OperationName): string {
  const { first, parameters }: Operation = operations[name];
  const others = Object.keys(parameters).filter((parameter) => parameter !== first);
  const options = [...others, ...(isSearch(name) ? ["maxItems"] : []), "format", "engine", "signal"];
  return `archive.${name}(${first}${parameters[first]?.required ? "" : "?"}, { ${options.join(", ")} })`;
}

/** The columns of an empty result, as the frame itself says. */
function columns(operation: OperationName): string {
  const frame = toDataFrame([], { operation });
  return frame.columns.map((name, at) => `\`${name}\` ${dtypeName(frame.dtypes[at])}`).join(", ");
}

/** `DataType(Datetime(us,UTC))` without what says nothing. */
function dtypeName(dtype: unknown): string {
  return String(dtype)
    .replace(/^DataType\((.*)\)$/, "$1")
    .replaceAll(",", ", ");
}

function callOptionSection(): string {
  const members = [
    ...documentedMembers("src/call/callOptions.ts", "SearchOptions"),
    ...documentedMembers("src/call/callOptions.ts", "CallOptions"),
  ];
  return [
    heading("Options of a call"),
    "`maxItems` is for searches, the others are for every operation.",
    table(
      ["option", "meaning"],
      members.map(({ name, text }) => [`\`${name}\``, text]),
    ),
  ].join("\n\n");
}

function clientOptionSection(): string {
  const optionTable = (path: string, name: string) =>
    table(
      ["option", "meaning"],
      documentedMembers(path, name).map((member) => [`\`${member.name}\``, member.text]),
    );
  const members = [
    ...documentedMembers("src/service/http/clientOptions.ts", "ClientOptions"),
    ...documentedMembers("src/call/clientSettings.ts", "OutputOptions"),
    ...documentedMembers("src/call/clientSettings.ts", "WithSnapshot").filter(({ name }) => name === "snapshot"),
    ...documentedMembers("src/call/clientSettings.ts", "WithCache").filter(({ name }) => name === "cache"),
  ];
  return [
    heading("Options of the client"),
    "For `new ArchiveClient({ … })` and `openArchive({ … })`.",
    table(["option", "default", "meaning"], members.map(clientOption)),
    "In `snapshot`, whose modes stand [above](#run-it-again-next-year):",
    optionTable("src/snapshots/snapshotOptions.ts", "SnapshotOptions"),
    "In `cache`:",
    optionTable("src/snapshots/snapshotOptions.ts", "CacheOptions"),
    "`openArchive` takes these too:",
    optionTable("src/openArchive.ts", "AnnounceOptions"),
  ].join("\n\n");
}

const KNOWN_DEFAULTS: Readonly<Record<string, unknown>> = { ...DEFAULTS, ...OUTPUT_DEFAULTS };

/** A default that a comment states has a column of its own; the code has the last word on it. */
function clientOption({ name, text }: DocumentedMember): string[] {
  const [stated, value] = /\bDefault:? (.+?)[.;](?= |$)/.exec(text) ?? [];
  const known = KNOWN_DEFAULTS[name];
  if (value !== undefined && typeof known === "number" && bytes(value) !== known) {
    throw new Error(`the comment of ${name} says ${value}, the code ${known}`);
  }
  const meaning = stated === undefined ? text : text.replace(stated, "").trim();
  const [before, after = ""] = meaning.split(/ {2,}/);
  const whole = after === "" ? before : `${before} ${after.charAt(0).toUpperCase()}${after.slice(1)}`;
  const code = known === undefined ? "none" : `\`${typeof known === "string" ? known : JSON.stringify(known)}\``;
  const shown = value?.includes("`") ? value.replace("the live service", code) : code;
  return [`\`${name}\``, shown, whole ?? ""];
}

function bytes(text: string): number {
  return text.endsWith(" MiB") ? Number.parseFloat(text) * 2 ** 20 : Number(text);
}

function heading(title: string): string {
  return `### ${title}`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
