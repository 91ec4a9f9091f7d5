import { stripVTControlCharacters } from "node:util";
import { checkedOptions, nonEmptyString, oneOf } from "../../errors/validators.js";
import { STEPS } from "../display/caption.js";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { FRAME_CSS } from "../display/gridHtml.js";
import { withoutProgress } from "../display/progressDisplay.js";
import {
  checkNotebook,
  hasTag,
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
  sourceOf,
  textOf,
} from "../notebookFormat.js";
import { codeHtml, markdownHtml } from "./markdownHtml.js";
import { imageUri, ownDisplayHtml } from "./safeHtml.js";

/** Options of {@link notebookHtml}. */
export interface NotebookHtmlOptions {
  /** The title of the page. Default: the first heading of the notebook. */
  title?: string | undefined;
  /** The date below the title, as text. Default: none. */
  date?: string | undefined;
  /** Whether code is shown, behind a button ("collapsed"), or left out ("hidden"). Default: "shown". */
  code?: "shown" | "collapsed" | "hidden" | undefined;
}

/**
 * Renders an executed notebook as a self-contained HTML report, for screen and print, without scripts. It contains frames, charts and
 * pictures; other HTML outputs are replaced by their text. The footer lists the requests behind its tables. The same notebook gives the
 * same bytes.
 *
 * Cell tags: `remove-cell` hides a cell, `remove-input` or `hide-input` its code, `remove-output` or `hide-output` its outputs.
 *
 * @param notebook the parsed JSON of an .ipynb file of format 4
 * @example
 * import { readFile, writeFile } from "node:fs/promises";
 * const notebook = JSON.parse(await readFile("trends.ipynb", "utf8"));
 * await writeFile("trends.html", notebookHtml(notebook));
 */
export function notebookHtml(notebook: Notebook, options: NotebookHtmlOptions = {}): string {
  const { title: chosen, date, code = "shown" } = checkedOptions(options, OPTIONS, "option of notebookHtml");
  const { cells } = checkNotebook(notebook);
  const ownTitle = chosen === undefined ? undefined : nonEmptyString("title", chosen);
  const style = oneOf("code", code, CODE_STYLES);
  const [top] = cells;
  // It stands instead of the one at the top of the notebook.
  if (ownTitle !== undefined && top?.cell_type === "markdown")
    cells[0] = { ...top, source: sourceOf(top).replace(/^\s*# [^\n]*/, "") };
  const ids = new Set<string>();
  const body = cells.map((cell) => cellHtml(cell, style, ids)).filter((html) => html !== "");
  const all = body.join("\n");
  const at = all.search(/<h[1-6][\s>]/);
  const start = all.indexOf(">", at) + 1;
  const heading = at < 0 ? "" : all.slice(start, all.indexOf("</h", start)).replace(/<[^<>]*>/g, "");
  const title = ownTitle === undefined ? printable(heading).trim() || "Notebook" : escapeHtml(printable(ownTitle));
  const header = ownTitle === undefined ? "" : `<h1>${title}</h1>\n`;
  const dateline =
    date === undefined ? "" : `<p class="date">${escapeHtml(printable(nonEmptyString("date", date)))}</p>\n`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${FRAME_CSS}${REPORT_CSS}</style>
</head>
<body>
<main>
${header}${dateline}${body.join("\n")}
</main>
${sourcesHtml(body)}</body>
</html>
`;
}

const CODE_STYLES = ["shown", "collapsed", "hidden"] as const;
const OPTIONS: ReadonlyArray<keyof NotebookHtmlOptions> = ["title", "date", "code"];

type CodeStyle = (typeof CODE_STYLES)[number];

function cellHtml(cell: NotebookCell, style: CodeStyle, ids: Set<string>): string {
  const has = (...names: string[]) => names.some((name) => hasTag(cell, name));
  if (has("remove-cell")) return "";
  const source = sourceOf(cell);
  if (cell.cell_type === "markdown") return markdownHtml(source, cell.attachments, ids).trim();
  if (cell.cell_type !== "code") return "";
  const isHidden = style === "hidden" || has("remove-input", "hide-input") || source.trim() === "";
  const block = isHidden ? "" : `<div class="code">${codeHtml(source)}</div>`;
  const code = isHidden || style === "shown" ? block : `<details><summary>Code</summary>${block}</details>`;
  const outputs = has("remove-output", "hide-output") ? [] : withoutProgress(cell.outputs ?? []).map(outputHtml);
  return [code, ...outputs].filter((html) => html !== "").join("\n");
}

/** The captions of tables and charts of this package. */
const CAPTION = /<div class="af-note"><small title="([^"]*)">/g;

/** The sources of tables and charts in a report, each once: which data, and whether it is complete. */
function sourcesHtml(body: readonly string[]): string {
  const lines = body.flatMap((html) => [...html.matchAll(CAPTION)].flatMap(([, full = ""]) => full.split("\n")));
  const sources = [...new Set(lines.filter((line) => !line.startsWith(STEPS)))];
  if (sources.length === 0) return "";
  return `<footer>\n<h2>Sources</h2>\n<ul>\n${sources.map((source) => `<li>${source}</li>`).join("\n")}\n</ul>\n</footer>\n`;
}

/** One output of a cell; empty if it has no format that a report can show. */
function outputHtml({ output_type, text, name, data = {}, ...error }: NotebookOutput): string {
  if (output_type === "stream") return textBlock(textOf(text) ?? "", name === "stderr" ? "stderr" : "stdout");
  if (output_type === "error") return textBlock(errorText(error), "error");
  const isBundle = output_type === "display_data" || output_type === "execute_result";
  return isBundle ? bundleHtml(data as Readonly<Record<string, unknown>>) : "";
}

/** The richest safe format: this package's HTML, a picture, Markdown, text. */
function bundleHtml(bundle: Readonly<Record<string, unknown>>): string {
  const html = textOf(bundle["text/html"]);
  const own = html === undefined ? undefined : ownDisplayHtml(html);
  if (own !== undefined) return `<div class="output">${own}</div>`;
  const plain = textOf(bundle["text/plain"]) ?? "";
  const picture = imageUri(bundle);
  if (picture !== undefined) {
    const alt = escapeHtml(printableLines(plain.split("\n", 1)[0] ?? ""));
    return `<figure class="output"><img src="${picture}" alt="${alt}"></figure>`;
  }
  const markdown = textOf(bundle["text/markdown"]);
  return markdown === undefined ? textBlock(plain, "result") : `<div class="output">${markdownHtml(markdown)}</div>`;
}

function errorText({ ename, evalue, traceback }: Readonly<Record<string, unknown>>): string {
  const name = `${textOf(ename) ?? "Error"}: ${textOf(evalue) ?? ""}`;
  const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === "string").join("\n") : "";
  return lines.includes(textOf(evalue) ?? name) && lines !== "" ? lines : [name, lines].filter(Boolean).join("\n");
}

function textBlock(text: string, kind: string): string {
  // A terminal writes over what stands before a carriage return.
  const lines = text.split("\n").map((line) => line.split("\r").findLast((part) => part !== "") ?? "");
  const shown = printableLines(stripVTControlCharacters(lines.join("\n"))).trimEnd();
  return shown === "" ? "" : `<pre tabindex="0" class="output ${kind}">${escapeHtml(shown)}</pre>`;
}

/** The style of a report: follows the system's color scheme on screen, black on white in print. */
const REPORT_CSS: string = [
  ":root{color-scheme:light dark;--ink:#1b1b1b;--dim:#5c5c5c;--paper:#fff;--block:#f5f5f3;--line:#dcdcd8;--link:#0b57a4;--bad:#b3261e;--badly:#fdf0ef;--notice:#b87a1d}",
  "@media screen and (prefers-color-scheme:dark){:root{--ink:#e4e4e0;--dim:#a0a09a;--paper:#161616;--block:#212121;--line:#3a3a38;--link:#82b8f0;--bad:#ff9c94;--badly:#331a18;--notice:#d9a04a}}",
  "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,'Segoe UI',sans-serif}",
  "main{max-width:56rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}",
  "h1,h2,h3,h4,h5,h6{line-height:1.25;margin:2rem 0 .75rem;font-weight:650}",
  "h1{font-size:1.9rem;margin-top:0}h2{font-size:1.4rem}h3{font-size:1.15rem}h4,h5,h6{font-size:1rem}",
  "p,ul,ol,blockquote{margin:0 0 1rem}li{margin:.2rem 0}a{color:var(--link)}",
  "blockquote{border-left:3px solid var(--line);padding-left:1rem;color:var(--dim)}",
  "hr{border:0;border-top:1px solid var(--line);margin:2rem 0}img{max-width:100%;height:auto}",
  "code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}",
  "p code,li code,td code{background:var(--block);padding:.1em .3em;border-radius:3px}",
  "pre{margin:0 0 1rem;padding:.75rem 1rem;background:var(--block);border-radius:6px;overflow-x:auto}",
  ".code{margin:1.5rem 0 .5rem}.code pre{margin:0}.code+.output{margin-top:.5rem}",
  // A chart is drawn for white paper.
  "@media screen and (prefers-color-scheme:dark){.archive-frames.archive-frames img{filter:invert(.92) hue-rotate(180deg)}}",
  ".archive-frames{--jp-content-link-color:var(--link)}",
  ".output{margin:0 0 1rem}.output>.archive-frames{font-size:13px}",
  "pre.output{white-space:pre-wrap;overflow-wrap:anywhere;background:none;padding:.25rem 1rem;border-left:3px solid var(--line);border-radius:0}",
  "pre.stderr{border-color:var(--notice)}pre.error{border-color:var(--bad);background:var(--badly);color:var(--bad)}",
  "figure.output{margin:1rem 0 1.5rem}figure img{display:block;border-radius:6px}",
  "main>table{border-collapse:collapse;margin:0 0 1rem;font-size:.95em}",
  "main>table :is(th,td){padding:.35rem .75rem;border-bottom:1px solid var(--line);text-align:left}",
  "main>table :is([align=right]){text-align:right}main>table :is([align=center]){text-align:center}",
  ".date{color:var(--dim);margin-top:-.5rem}summary{color:var(--dim);cursor:pointer;font-size:13px}",
  "footer{max-width:56rem;margin:0 auto;padding:0 1.5rem 3rem;font-size:13px;color:var(--dim);overflow-wrap:anywhere}",
  "footer h2{font-size:1rem;border-top:1px solid var(--line);padding-top:1rem}",
  "@page{margin:18mm 16mm;@bottom-center{content:counter(page) ' / ' counter(pages);font:8pt system-ui,sans-serif}}",
  "@media print{:root{color-scheme:light}body{font-size:10.5pt}main,footer{max-width:none;padding:0}details{display:none}code,pre{font-size:8.5pt}",
  "pre{white-space:pre-wrap;overflow-wrap:anywhere}h1,h2,h3{break-after:avoid}.code,figure,tr{break-inside:avoid}",
  // A sentence stays with its code, and code with its output.
  "main>:is(p,.code,details):has(+:is(.code,details,.output)){break-after:avoid}",
  // 15 rows, and one for the gap.
  "table:not(:has(tbody tr:nth-child(17))),.output:not(:has(tbody tr:nth-child(17))):has(table){break-inside:avoid}",
  "pre,.code pre{-webkit-print-color-adjust:exact;print-color-adjust:exact}.archive-frames.archive-frames,.archive-frames.archive-frames table{font-size:7.5pt}}",
].join("\n");
