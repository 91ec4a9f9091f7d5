import { invalid, knownKeys } from "../../errors/validators.js";
import { hasTag, type Notebook, sourceOf } from "../../notebook/notebookFormat.js";
import { codeCell } from "./notebookFile.js";

/** Values of variables by name, injected into a notebook as a new cell. */
export type Parameters = Readonly<Record<string, unknown>>;

const TAG = "parameters";
const INJECTED = "injected-parameters";

const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const DECLARATION = /\b(?:let|const|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

// Words that TypeScript does not accept as a variable name in a module.
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public " +
    "return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/**
 * Injects a cell that assigns parameters, after the cell tagged `parameters`, as papermill does, or as the first cell if there is
 * none. It replaces a previously injected cell.
 *
 * @throws ValidationError for an invalid variable name, a name that the tagged cell does not declare, or a value that JSON cannot
 * represent
 */
export function withParameters<N extends Notebook>(notebook: N, parameters: Parameters): N {
  const names = Object.keys(parameters);
  if (names.length === 0) return notebook;
  const tagged = notebook.cells.find((cell) => hasTag(cell, TAG));
  const source = names.map((name) => `let ${parameterName(name)} = ${literal(name, parameters[name])};`).join("\n");
  if (tagged !== undefined) checkDeclared(parameters, sourceOf(tagged));
  const cells = notebook.cells.filter((cell) => !hasTag(cell, INJECTED));
  cells.splice(tagged === undefined ? 0 : cells.indexOf(tagged) + 1, 0, codeCell(notebook, source, [INJECTED]));
  return { ...notebook, cells };
}

/**
 * Parses a parameter of the command line, `name=value`. The value is JSON if it parses as JSON, otherwise a string.
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

/** A misspelled parameter would be ignored, and the notebook would run with its default. */
function checkDeclared(parameters: Parameters, code: string): void {
  const declared = [...code.matchAll(DECLARATION)].map(([, name = ""]) => name);
  // DECLARATION finds only the first variable of `let a = 1, b = 2`.
  const identifiers = new Set(code.match(IDENTIFIER));
  const named = Object.keys(parameters).filter((name) => identifiers.has(name));
  knownKeys(parameters, [...new Set([...declared, ...named])], "parameter of the notebook");
}

function parameterName(name: string): string {
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !RESERVED.has(name)) return name;
  throw invalid("parameter", name, "Give a variable name, for example year.");
}

function literal(name: string, value: unknown): string {
  const text: string | undefined = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  if (text !== undefined) return text;
  throw invalid(`parameter ${name}`, value, "Give a value that JSON can represent.");
}
