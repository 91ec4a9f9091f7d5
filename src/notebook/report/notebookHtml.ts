import { checkedOptions, nonEmptyString } from "../../errors/validators.js";
import { escapeHtml, printable } from "../display/displayText.js";
import { FRAME_CSS } from "../display/frameCss.js";
import { checkNotebook, hasTag, type Notebook, type NotebookCell, sourceOf } from "../notebookFormat.js";
import { withoutProgress } from "../withoutProgress.js";
import { codeHtml } from "./codeHtml.js";
import { firstHeading, markdownHtml } from "./markdownHtml.js";
import { outputHtml } from "./outputHtml.js";
import { REPORT_CSS } from "./reportCss.js";

/** Options of {@link notebookHtml}. */
export interface NotebookHtmlOptions {
  /** The page title, also shown as a heading if the notebook has none. Default: the first heading of the notebook. */
  title?: string | undefined;
}

/**
 * Renders an executed notebook as a self-contained HTML report, for screen and print. The report loads nothing and runs no scripts:
 * it contains frames, charts and pictures; other HTML outputs are replaced by their text. The same notebook gives the same bytes.
 *
 * Cell tags: `remove-cell` hides a cell, `remove-input` or `hide-input` its code, `remove-output` or `hide-output` its outputs.
 *
 * @param notebook the parsed JSON of an .ipynb file of format 4
 * @param options the title
 * @returns the HTML
 * @throws ValidationError if `notebook` is not a notebook of format 4
 * @example
 * const notebook = JSON.parse(await readFile("trends.ipynb", "utf8"));
 * await writeFile("trends.html", notebookHtml(notebook));
 */
export function notebookHtml(notebook: Notebook, options: NotebookHtmlOptions = {}): string {
  const { title: chosen } = checkedOptions(options, ["title"], "option of notebookHtml");
  const { cells, metadata } = checkNotebook(notebook);
  const ownTitle = chosen === undefined ? undefined : nonEmptyString("title", chosen);
  const heading = cells.map(headingOf).find((text) => text !== undefined);
  const title = printable(ownTitle ?? heading ?? "Notebook");
  const language = languageOf(metadata);
  const header = heading === undefined && ownTitle !== undefined ? `<h1>${escapeHtml(title)}</h1>\n` : "";
  const body = cells.map((cell) => cellHtml(cell, language)).filter((html) => html !== "");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${FRAME_CSS}${REPORT_CSS}</style>
</head>
<body>
<main>
${header}${body.join("\n")}
</main>
</body>
</html>
`;
}

function cellHtml(cell: NotebookCell, language: string): string {
  const has = (...names: string[]) => names.some((name) => hasTag(cell, name));
  if (has("remove-cell")) return "";
  const source = sourceOf(cell);
  if (cell.cell_type === "markdown") return markdownHtml(source, cell.attachments).trim();
  if (cell.cell_type !== "code") return "";
  const code =
    has("remove-input", "hide-input") || source.trim() === ""
      ? ""
      : `<div class="code">${codeHtml(source, language)}</div>`;
  const outputs = has("remove-output", "hide-output") ? [] : withoutProgress(cell.outputs ?? []).map(outputHtml);
  return [code, ...outputs].filter((html) => html !== "").join("\n");
}

function headingOf(cell: NotebookCell): string | undefined {
  return cell.cell_type === "markdown" ? firstHeading(sourceOf(cell)) : undefined;
}

function languageOf({ language_info, kernelspec }: Readonly<Record<string, unknown>>): string {
  const { name } = (language_info ?? {}) as { readonly name?: unknown };
  const { language } = (kernelspec ?? {}) as { readonly language?: unknown };
  return String(name ?? language ?? "");
}
