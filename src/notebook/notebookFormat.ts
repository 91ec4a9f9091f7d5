import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { userPath } from "../fs/paths.js";
import { readInputFile } from "../fs/receivedFile.js";
import { outputFile, writeFileAtomic } from "../fs/writeFileAtomic.js";
import { isObject } from "../util/objects.js";

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

/** A notebook that was checked and has all members of format 4.5. */
export type CheckedNotebook = Required<Notebook>;

const MAX_BYTES = 500e6;

/** Nested objects and arrays: code that copies or serializes a notebook recurses this deep. */
const MAX_DEPTH = 100;

/**
 * Checks that a value is a notebook of format 4 that can be run and shown, and adds what an earlier minor format lacks: ids and metadata.
 * The value is not changed.
 *
 * @param name what the error calls it. Default: an excerpt of the value
 * @throws ValidationError if it is not
 */
export function checkNotebook(value: unknown, name: unknown = value): CheckedNotebook {
  if (!isWithinDepth(value)) throw invalid("notebook", name, `It is nested more than ${MAX_DEPTH} levels deep.`);
  if (!isNotebook(value)) throw invalid("notebook", name, "Give an .ipynb file of format 4, or its parsed JSON.");
  const cells = value.cells.map((cell, at) => ({
    ...cell,
    id: cell.id ?? `cell-${at + 1}`,
    metadata: cell.metadata ?? {},
  }));
  return { ...value, cells, metadata: value.metadata ?? {}, nbformat: 4, nbformat_minor: 5 };
}

/**
 * Reads a notebook file.
 *
 * @throws ValidationError if it cannot be read or is not a notebook of format 4
 */
export function readNotebook(path: string): CheckedNotebook {
  let json: unknown;
  try {
    json = JSON.parse(readInputFile(userPath("notebook", path, "trends.ipynb"), MAX_BYTES).toString());
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    const { cause, message } = error as Error & { readonly cause?: NodeJS.ErrnoException };
    const why = cause?.code === "ENOENT" ? "The file does not exist." : `It cannot be read (${message}).`;
    throw invalid("notebook", path, `${why} Give the path of an .ipynb file.`);
  }
  return checkNotebook(json, path);
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

function isWithinDepth(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === "object" && each !== null) for (const inner of Object.values(each)) next.push(inner);
    level = next;
  }
  return level.length === 0;
}

/** Notebooks may come from anywhere, so every member that this package reads is checked. */
function isNotebook(value: unknown): value is Notebook {
  if (!isObject(value)) return false;
  const { nbformat, metadata, cells } = value;
  return nbformat === 4 && isOptional(metadata, isObject) && Array.isArray(cells) && cells.every(isCell);
}

function isCell(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { cell_type, id, source, metadata, outputs, execution_count, attachments } = value;
  return (
    (cell_type === "code" || cell_type === "markdown" || cell_type === "raw") &&
    isText(source) &&
    isOptional(id, (text) => typeof text === "string") &&
    isOptional(execution_count, (count) => count === null || typeof count === "number") &&
    isOptional(metadata, (members) => isObject(members) && isOptional(members.tags, isTexts)) &&
    isOptional(outputs, (list) => Array.isArray(list) && list.every(isOutput)) &&
    isOptional(attachments, (files) => isObject(files) && Object.values(files).every(isObject))
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

function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
