import { type Notebook, notebookHtml } from "../../../src/notebook/index.js";

/** The body of a report with some cells. */
export function mainOf(...cells: Notebook["cells"]): string {
  const metadata = { language_info: { name: "typescript" } };
  return /<main>\n(.*)\n<\/main>/s.exec(notebookHtml({ nbformat: 4, cells, metadata }))?.[1] ?? "";
}

/** Markdown as a report shows it. */
export function markdownHtml(source: string, attachments: Record<string, Record<string, unknown>> = {}): string {
  return mainOf({ cell_type: "markdown", source, attachments });
}
