import { randomUUID } from "node:crypto";
import { invalid, rejectUnknownKeys } from "../../errors/validators.js";
import { hasTag, type Notebook, type NotebookCell, sourceOf } from "../../notebook/notebookFormat.js";

/** Values of variables by name. They replace the defaults in the cell that is tagged `parameters`. */
export type Parameters = Readonly<Record<string, unknown>>;

const TAG = "parameters";
const INJECTED = "injected-parameters";

/** A declared variable, alone or in a list: `let year = 2024, query: string`. */
const DECLARED = /(?:\b(?:let|const|var)\s+|,\s*)([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?=[=:,;]|$)/gmu;

/** What follows the name of a variable that is text, or has a simple default. */
const TEXT = /^(?::\s*string\b|(?::[^=\n]*)?=\s*["'`])/;
const DEFAULT = /^(?::[^=\n]*)?=\s*(?:(["'`])(.*?)\1|(-?[\d.]+|true|false))[^\S\n]*(?:[;,\n]|$)/;

/** The variables of the cell tagged `parameters`, with their default as text if it is simple; undefined if there is no such cell. */
function declarations({ cells }: Notebook) {
  const tagged = cells.find((cell) => hasTag(cell, TAG));
  if (tagged === undefined) return undefined;
  const source = sourceOf(tagged);
  return new Map(
    [...source.matchAll(DECLARED)].map((match) => {
      const rest = source.slice(match.index + match[0].length);
      const [, , text, other] = DEFAULT.exec(rest) ?? [];
      return [match[1] ?? "", { isText: TEXT.test(rest), text: text ?? other }];
    }),
  );
}

/**
 * Injects a cell that assigns parameters after the cell tagged `parameters`, as papermill does. It replaces a previously injected cell.
 * In Markdown cells, `{{name}}` becomes the value of a parameter, or its default.
 *
 * @throws ValidationError if no cell is tagged, for a name that it does not declare, or for a value that JSON cannot represent
 */
export function withParameters<N extends Notebook>(notebook: N, parameters: Parameters): N {
  const names = Object.keys(parameters);
  const declared = declarations(notebook);
  if (declared === undefined) {
    if (names.length === 0) return notebook;
    throw invalid("parameter", names[0], `Tag the cell that declares the defaults with "${TAG}".`);
  }
  // A misspelled parameter would be ignored, and the notebook would run with its default.
  rejectUnknownKeys(parameters, [...declared.keys()], "parameter of the notebook");
  const valueFor = (name: string) => parameters[name] ?? declared.get(name)?.text;
  const cells = notebook.cells
    .filter((cell) => names.length === 0 || !hasTag(cell, INJECTED))
    .map((cell) => (cell.cell_type === "markdown" ? withValues(cell, valueFor) : cell));
  const source = names.map((name) => `let ${name} = ${literal(name, parameters[name])};`).join("\n");
  const after = cells.findIndex((cell) => hasTag(cell, TAG)) + 1;
  if (names.length > 0) cells.splice(after, 0, injectedCell(source));
  return { ...notebook, cells };
}

function withValues(cell: NotebookCell, valueFor: (name: string) => unknown): NotebookCell {
  const source = sourceOf(cell).replace(/\{\{([^{}\s]+)\}\}/g, (marked, name: string) =>
    String(valueFor(name) ?? marked),
  );
  return { ...cell, source };
}

function injectedCell(source: string): NotebookCell {
  const metadata = { tags: [INJECTED] };
  return { id: randomUUID().slice(0, 8), cell_type: "code", metadata, source, outputs: [], execution_count: null };
}

function literal(name: string, value: unknown): string {
  const text: string | undefined = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  if (text !== undefined) return text;
  throw invalid(`parameter ${name}`, value, "Give a value that JSON can represent.");
}

/**
 * Parses parameters of the command line, `name=value`. A value is the text that was typed if the default in the notebook is text, or if it
 * is not JSON.
 *
 * @example
 * parseParameters(["years=[2022,2023]", "query=5376"], notebook); //=> { years: [2022, 2023], query: "5376" }
 */
export function parseParameters(texts: readonly string[], notebook: Notebook): Parameters {
  const declared = declarations(notebook);
  const entries = texts.map((text): [string, unknown] => {
    const at = text.indexOf("=");
    if (at < 1) throw invalid("param", text, "Give a name and a value, for example --param year=2024.");
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    return [name, declared?.get(name)?.isText ? value : jsonOrText(value)];
  });
  return Object.fromEntries(entries);
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
