import { type Notebook, notebookHtml } from "../../../src/notebook.js";

/** A notebook of some cells. */
export function notebook(...cells: Notebook["cells"]): Notebook {
  return { nbformat: 4, cells, metadata: { language_info: { name: "typescript" } } };
}

/** The body of a report. */
export function mainIn(html: string): string {
  return /<main>\n(.*)\n<\/main>/s.exec(html)?.[1] ?? "";
}

/** The body of the report of some cells. */
export function mainOf(...cells: Notebook["cells"]): string {
  return mainIn(notebookHtml(notebook(...cells)));
}

/** Markdown as a report shows it. */
export function markdownHtml(source: string, attachments: Record<string, Record<string, unknown>> = {}): string {
  return mainOf({ cell_type: "markdown", source, attachments });
}
