import { randomUUID } from "node:crypto";
import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { readInputFile } from "../../fs/readInputFile.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import {
  type CheckedNotebook,
  checkNotebook,
  MAX_NOTEBOOK_BYTES,
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
} from "../../notebook/notebookFormat.js";
import { isObject } from "../../util/isObject.js";

/**
 * Reads a notebook file.
 *
 * @throws ValidationError if it cannot be read or is not a notebook of format 4
 */
export function readNotebook(path: string): CheckedNotebook {
  let found: unknown;
  try {
    found = JSON.parse(readInputFile(userPath("notebook", path, "trends.ipynb"), MAX_NOTEBOOK_BYTES).toString());
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    const { cause, message } = error as Error & { readonly cause?: NodeJS.ErrnoException };
    const why = cause?.code === "ENOENT" ? "The file does not exist." : `It cannot be read (${message}).`;
    throw invalid("notebook", path, `${why} Give the path of an .ipynb file.`);
  }
  return checkNotebook(found, path);
}

/**
 * Writes a notebook as Jupyter does, with texts as arrays of lines. The file is replaced atomically.
 *
 * @throws FileError if it cannot be written
 */
export function writeNotebook(path: string, notebook: Notebook): void {
  const cells = notebook.cells.map((cell) => ({
    ...cell,
    source: lines(cell.source),
    ...(cell.outputs === undefined ? {} : { outputs: cell.outputs.map(outputWithLines) }),
  }));
  writeFileAtomic(
    outputFile(userPath("path", path, "trends.ipynb")),
    `${JSON.stringify({ ...notebook, cells }, null, 1)}\n`,
  );
}

/** A new code cell. It gets an id only if the format of the notebook has ids (4.5 and later). */
export function codeCell({ nbformat_minor = 5 }: Notebook, source: string, tags: readonly string[]): NotebookCell {
  const id = nbformat_minor >= 5 ? { id: randomUUID().slice(0, 8) } : {};
  return { ...id, cell_type: "code", metadata: { tags }, source, outputs: [], execution_count: null };
}

function outputWithLines({ text, data, ...output }: NotebookOutput): NotebookOutput {
  const entry = ([type, value]: [string, unknown]) => [type, /json$/.test(type) ? value : lines(value)];
  return {
    ...output,
    ...(text !== undefined && { text: lines(text) }),
    ...(isObject(data) && { data: Object.fromEntries(Object.entries(data).map(entry)) }),
  } as NotebookOutput;
}

function lines<T>(text: T): T | string[] {
  return typeof text === "string" ? text.split(/(?<=\n)/).filter((line) => line !== "") : text;
}
