import { stripVTControlCharacters } from "node:util";
import { escapeHtml, printableLines } from "../display/displayText.js";
import { textOf } from "../notebookFormat.js";
import { markdownHtml } from "./markdownHtml.js";
import { imageUri, ownDisplayHtml } from "./safeHtml.js";

type Bundle = Readonly<Record<string, unknown>>;

/** One output of a cell; empty if it has no format that a report can show. */
export function outputHtml(output: Readonly<Record<string, unknown>>): string {
  switch (output.output_type) {
    case "stream":
      return textBlock(textOf(output.text) ?? "", output.name === "stderr" ? "stderr" : "stdout");
    case "error":
      return textBlock(errorText(output), "error");
    case "display_data":
    case "execute_result":
      return bundleHtml((output.data ?? {}) as Bundle);
    default:
      return "";
  }
}

/** The richest safe format: this package's HTML, a picture, Markdown, text. */
function bundleHtml(bundle: Bundle): string {
  const html = textOf(bundle["text/html"]);
  const own = html === undefined ? undefined : ownDisplayHtml(html);
  if (own !== undefined) return `<div class="output">${own}</div>`;
  const plain = textOf(bundle["text/plain"]) ?? "";
  const picture = imageUri(bundle);
  if (picture !== undefined) {
    return `<figure class="output"><img src="${picture}" alt="${escapeHtml(printableLines(plain.split("\n", 1)[0] ?? ""))}"></figure>`;
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
  const shown = printableLines(stripVTControlCharacters(text)).trimEnd();
  return shown === "" ? "" : `<pre class="output ${kind}">${escapeHtml(shown)}</pre>`;
}
