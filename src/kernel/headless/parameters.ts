import { invalid, knownKeys, show } from "../../errors/validators.js";
import { hasTag, type Notebook, sourceOf } from "../../notebook/notebookFormat.js";
import { codeCell } from "./notebookFile.js";

/** Values by name, for a cell that is put in before a notebook runs. */
export type Parameters = Readonly<Record<string, unknown>>;

const TAG = "parameters";
const INJECTED = "injected-parameters";

const WORDS = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const DECLARED = /\b(?:let|const|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

// What TypeScript takes for no name of a variable in a module.
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public " +
    "return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/**
 * A notebook with a cell that gives parameters their values, after the cell with the tag `parameters`, as papermill does;
 * without such a cell it comes first, and it replaces what was injected before.
 *
 * @throws ValidationError for a name that is none in TypeScript, or that the cell with the tag does not have, and for a value
 * that JSON has no form for
 */
export function withParameters<N extends Notebook>(notebook: N, parameters: Parameters): N {
  const names = Object.keys(parameters);
  if (names.length === 0) return notebook;
  const tagged = notebook.cells.find((cell) => hasTag(cell, TAG));
  const source = names.map((name) => `let ${parameterName(name)} = ${literal(name, parameters[name])};`).join("\n");
  if (tagged !== undefined) refuseUnknown(parameters, sourceOf(tagged));
  const cells = notebook.cells.filter((cell) => !hasTag(cell, INJECTED));
  cells.splice(tagged === undefined ? 0 : cells.indexOf(tagged) + 1, 0, codeCell(notebook, source, [INJECTED]));
  return { ...notebook, cells };
}

/**
 * A parameter from a command line: `key=value`. The value is read as JSON where it is JSON, and is a text elsewhere.
 *
 * @example
 * parseParameter("years=[2022,2023]"); //=> ["years", [2022, 2023]]
 * parseParameter("query=climate"); //=> ["query", "climate"]
 */
export function parseParameter(text: string): [name: string, value: unknown] {
  const at = text.indexOf("=");
  if (at < 0) throw invalid("param", text, "Give a name and a value, for example --param year=2024.");
  const [name, value] = [parameterName(text.slice(0, at)), text.slice(at + 1)];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/** A parameter with a slip in its name would be set, read by nobody, and the notebook run with what stands in it. */
function refuseUnknown(parameters: Parameters, code: string): void {
  const declared = [...code.matchAll(DECLARED)].map(([, name = ""]) => name);
  // Not only those that are declared one by one: `let a = 1, b = 2`.
  const words = new Set(code.match(WORDS));
  const named = Object.keys(parameters).filter((name) => words.has(name));
  knownKeys(parameters, [...new Set([...declared, ...named])], "parameter of the notebook");
}

function parameterName(name: string): string {
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !RESERVED.has(name)) return name;
  throw invalid("parameter", name, "Give the name of a variable, for example year.");
}

function literal(name: string, value: unknown): string {
  const text: string | undefined = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  if (text !== undefined) return text;
  throw invalid(`parameter ${name}`, value, `Give a value that JSON has a form for, not ${show(value)}.`);
}
