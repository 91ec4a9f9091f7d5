import { randomUUID } from "node:crypto";
import { invalid, knownKeys } from "../../errors/validators.js";
import { hasTag, type Notebook, type NotebookCell, sourceOf } from "../../notebook/notebookFormat.js";

/** Values of variables by name, injected into a notebook as a new cell. */
export type Parameters = Readonly<Record<string, unknown>>;

const TAG = "parameters";
const INJECTED = "injected-parameters";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** A declared variable, alone or in a list: `let year = 2024, query: string`. */
const DECLARED = /(?:\b(?:let|const|var)\s+|,\s*)([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?=[=:,;]|$)/gmu;

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
  // A misspelled parameter would be ignored, and the notebook would run with its default.
  if (tagged !== undefined) {
    const declared = [...sourceOf(tagged).matchAll(DECLARED)].map(([, name = ""]) => name);
    knownKeys(parameters, declared, "parameter of the notebook");
  }
  const cells = notebook.cells.filter((cell) => !hasTag(cell, INJECTED));
  cells.splice(tagged === undefined ? 0 : cells.indexOf(tagged) + 1, 0, codeCell(notebook, source, [INJECTED]));
  return { ...notebook, cells };
}

/** A new code cell. It gets an id only if the format of the notebook has ids (4.5 and later). */
export function codeCell({ nbformat_minor = 5 }: Notebook, source: string, tags: readonly string[]): NotebookCell {
  const id = nbformat_minor >= 5 ? { id: randomUUID().slice(0, 8) } : {};
  return { ...id, cell_type: "code", metadata: { tags }, source, outputs: [], execution_count: null };
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

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

function parameterName(name: string): string {
  try {
    if (!IDENTIFIER.test(name)) throw new SyntaxError();
    // Throws for a reserved word; nothing is run.
    AsyncFunction(`"use strict"; let ${name};`);
    return name;
  } catch {
    throw invalid("parameter", name, "Give a variable name, for example year.");
  }
}

function literal(name: string, value: unknown): string {
  const text: string | undefined = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  if (text !== undefined) return text;
  throw invalid(`parameter ${name}`, value, "Give a value that JSON can represent.");
}
