import { invalid } from "../../errors/validators.js";
import { notebookFault } from "../notebookShape.js";

/** Text in a notebook file: whole, or line by line. */
export type MultilineText = string | readonly string[];

/** A cell of a notebook file. */
export interface NotebookCell {
  readonly cell_type: string;
  readonly source: MultilineText;
  readonly metadata?: { readonly tags?: readonly string[] } & Readonly<Record<string, unknown>>;
  /** Of a code cell. */
  readonly outputs?: readonly Readonly<Record<string, unknown>>[];
  /** Images of a Markdown cell: by name, a bundle of MIME types. */
  readonly attachments?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A notebook file (nbformat 4), as far as a report needs it. */
export interface Notebook {
  readonly nbformat: number;
  readonly cells: readonly NotebookCell[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** @throws ValidationError for anything but a notebook of format 4 */
export function checkNotebook(value: unknown): Notebook {
  const fault = notebookFault(value);
  if (fault === undefined) return value as Notebook;
  throw invalid("notebook", value, `${fault}. Give the parsed JSON of a notebook of format 4 (an .ipynb file).`);
}
