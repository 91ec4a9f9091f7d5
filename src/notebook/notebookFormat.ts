import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { readInputFile } from "../fs/inputFile.js";
import { userPath } from "../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../fs/writeFileAtomic.js";
import { isObject } from "../util/isObject.js";
import { sum } from "../util/sum.js";

/** Text in a notebook file: one string, or an array of lines that keep their line breaks. */
export type MultilineText = string | readonly string[];

/** One output of a code cell: a stream, a display, a result or an error. */
export interface NotebookOutput {
  /** Type of the output. */
  readonly output_type: "stream" | "display_data" | "execute_result" | "error";
  readonly [member: string]: unknown;
}

/** One cell of a notebook. */
export interface NotebookCell {
  /** Since format 4.5. */
  id?: string;
  /** Type of the cell. */
  cell_type: "code" | "markdown" | "raw";
  /** Text of the cell. */
  source: MultilineText;
  /** Default: none. */
  metadata?: { tags?: readonly string[]; readonly [member: string]: unknown };
  /** Code cells only. */
  outputs?: NotebookOutput[];
  /** Code cells only: null before the first run. */
  execution_count?: number | null;
  /** Images of a Markdown cell: a MIME bundle per name. */
  attachments?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [member: string]: unknown;
}

/** A notebook: the parsed JSON of an `.ipynb` file of format 4. */
export interface Notebook {
  /** The cells, in order. */
  cells: NotebookCell[];
  /** Default: none. */
  metadata?: Record<string, unknown>;
  /** Major version of the notebook format: 4. */
  nbformat: number;
  /** Default: 5. */
  nbformat_minor?: number;
}

/** A notebook that was checked: missing metadata is added. */
export type CheckedNotebook = Required<Notebook>;

const MAX_BYTES = 500e6;
const MAX_CELLS = 10_000;
const MAX_OUTPUTS = 100_000;

/** Characters per cell; a kernel accepts slightly more. */
const MAX_SOURCE = 15e6;

/** Nested objects and arrays: code that copies or serializes a notebook recurses this deep. */
const MAX_DEPTH = 100;

/**
 * Checks that a value is a notebook of format 4 that can be run and shown, and adds missing metadata. The value is not changed.
 *
 * @param name what the error calls it. Default: an excerpt of the value
 * @throws ValidationError if it is not
 */
export function checkNotebook(value: unknown, name: unknown = value): CheckedNotebook {
  const fault = notebookFault(value);
  if (fault !== undefined)
    throw invalid("notebook", name, `${fault}. Give an .ipynb file of format 4, or its parsed JSON.`);
  const notebook = value as Notebook;
  const { metadata = {}, nbformat_minor = 5 } = notebook;
  const cells = notebook.cells.map((cell) => (cell.metadata === undefined ? { ...cell, metadata: {} } : cell));
  return { ...notebook, cells, metadata, nbformat: 4, nbformat_minor };
}

/**
 * Reads a notebook file.
 *
 * @throws ValidationError if it cannot be read or is not a notebook of format 4
 */
export function readNotebook(path: string): CheckedNotebook {
  let found: unknown;
  try {
    found = JSON.parse(readInputFile(userPath("notebook", path, "trends.ipynb"), MAX_BYTES).toString());
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
 * @throws ArchiveError if it cannot be written
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

export function sourceOf({ source }: NotebookCell): string {
  return textOf(source) ?? "";
}

/** Multiline text as one string; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isTexts(value) ? value.join("") : undefined;
}

export function hasTag({ metadata }: NotebookCell, tag: string): boolean {
  return metadata?.tags?.includes(tag) ?? false;
}

/**
 * Why a value is not a usable notebook, as a sentence; undefined if it is one. Notebooks may come from anywhere, so every
 * member that this package reads is checked.
 */
function notebookFault(value: unknown): string | undefined {
  const { nbformat, nbformat_minor, cells, metadata } = isObject(value) ? value : {};
  if (nbformat !== 4 || !Array.isArray(cells)) return "It is not a notebook of format 4";
  if (!isOptional(nbformat_minor, Number.isInteger)) return "Its nbformat_minor is not an integer";
  if (!isOptional(metadata, isObject)) return "Its metadata is not an object";
  if (cells.length > MAX_CELLS) return `It has more than ${MAX_CELLS} cells`;
  if (!isWithinDepth(value, MAX_DEPTH)) return `It is nested more than ${MAX_DEPTH} levels deep`;
  const wrong = cells.findIndex((cell) => !isCell(cell));
  if (wrong >= 0) return `Cell ${wrong + 1} is malformed`;
  const outputs = sum((cells as NotebookCell[]).map((cell) => cell.outputs?.length ?? 0));
  if (outputs > MAX_OUTPUTS) return `It has more than ${MAX_OUTPUTS} outputs`;
  return undefined;
}

function isWithinDepth(value: unknown, max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= max; depth++) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      for (const inner of Object.values(each)) next.push(inner);
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

function isCell(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { cell_type, id, source, metadata, outputs, execution_count, attachments } = value;
  const isKind = cell_type === "code" || cell_type === "markdown" || cell_type === "raw";
  return (
    isKind &&
    isText(source) &&
    sum([source].flat().map((line) => line.length)) <= MAX_SOURCE &&
    isOptional(id, (given) => typeof given === "string") &&
    isOptional(execution_count, (given) => given === null || typeof given === "number") &&
    isOptional(metadata, (given) => isObject(given) && isOptional(given.tags, isTexts)) &&
    isOptional(outputs, (given) => Array.isArray(given) && given.every(isOutput)) &&
    isOptional(attachments, (given) => isObject(given) && Object.values(given).every(isObject))
  );
}

function isOutput(value: unknown): boolean {
  return isObject(value) && isOptional(value.text, isText) && isOptional(value.data, isObject);
}

function isText(value: unknown): value is MultilineText {
  return typeof value === "string" || isTexts(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}

function isOptional(value: unknown, is: (given: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
