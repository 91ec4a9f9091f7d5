import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { invalid } from "../../errors/validators.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { MAX_NOTEBOOK_BYTES, notebookFault } from "../../notebook/notebookShape.js";

/** A text; a file may hold it as lines. */
export type Multiline = string | readonly string[];

/** What a cell has shown. */
export type NotebookOutput = {
  readonly output_type: "stream" | "display_data" | "execute_result" | "error";
  readonly [member: string]: unknown;
};

/** A cell of a notebook. */
export interface NotebookCell {
  id?: string;
  cell_type: "code" | "markdown" | "raw";
  source: Multiline;
  metadata: { tags?: readonly string[]; readonly [member: string]: unknown };
  /** Of code only. */
  outputs?: NotebookOutput[];
  /** Of code only. */
  execution_count?: number | null;
  readonly [member: string]: unknown;
}

/** A notebook, format 4. */
export interface NotebookJson {
  cells: NotebookCell[];
  metadata: Record<string, unknown>;
  nbformat: number;
  nbformat_minor: number;
}

/**
 * Reads a notebook.
 *
 * @throws ValidationError when it is none, or of a format other than 4
 */
export function readNotebook(path: string): NotebookJson {
  let found: Partial<NotebookJson> | null;
  try {
    if (statSync(path).size > MAX_NOTEBOOK_BYTES) throw new Error(`it has more than ${MAX_NOTEBOOK_BYTES / 1e6} MB`);
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "There is no such file." : `It cannot be read (${message}).`;
    throw invalid("notebook", path, `${why} Give the path of an .ipynb file.`);
  }
  return checkNotebook(found, path);
}

/** Whether a value is a notebook that can be run. */
export function checkNotebook(found: Partial<NotebookJson> | null, name: string): NotebookJson {
  const fault = notebookFault(found);
  if (fault !== undefined) throw invalid("notebook", name, `${fault}: open it in Jupyter and save it.`);
  const { cells, metadata = {}, nbformat_minor = 5 } = found as NotebookJson;
  const whole = cells.map((cell) => (cell.metadata === undefined ? { ...cell, metadata: {} } : cell));
  return { ...found, cells: whole, metadata, nbformat: 4, nbformat_minor };
}

/**
 * Writes a notebook as Jupyter does, texts as lines. The file is whole or as it was before.
 *
 * @throws FileError when it cannot be written
 */
export function writeNotebook(path: string, notebook: NotebookJson): void {
  const cells = notebook.cells.map((cell) => ({
    ...cell,
    source: lines(cell.source),
    ...(cell.outputs === undefined ? {} : { outputs: cell.outputs.map(outputAsLines) }),
  }));
  writeFileAtomic(path, `${JSON.stringify({ ...notebook, cells }, null, 1)}\n`);
}

/** A text that may stand as lines, as one. */
export function joined(text: Multiline): string {
  return typeof text === "string" ? text : text.join("");
}

/** A code cell; an id is given only in the versions of the format that know one. */
export function codeCell(notebook: NotebookJson, source: string, tags: readonly string[]): NotebookCell {
  const id = notebook.nbformat_minor >= 5 ? { id: randomUUID().slice(0, 8) } : {};
  return { ...id, cell_type: "code", metadata: { tags }, source, outputs: [], execution_count: null };
}

function outputAsLines(output: NotebookOutput): NotebookOutput {
  const { text, data } = output as { readonly text?: Multiline; readonly data?: Readonly<Record<string, unknown>> };
  const entry = ([type, value]: [string, unknown]) => [type, /json$/.test(type) ? value : lines(value)];
  return {
    ...output,
    ...(text === undefined ? {} : { text: lines(text) }),
    ...(data === undefined ? {} : { data: Object.fromEntries(Object.entries(data).map(entry)) }),
  };
}

function lines<T>(text: T): T | string[] {
  return typeof text === "string" ? text.split(/(?<=\n)/).filter((line) => line !== "") : text;
}
