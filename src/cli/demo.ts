import { fileURLToPath } from "node:url";
import { Command } from "commander";
import type { Multiline, NotebookOutput } from "../kernel/headless/notebookFile.js";
import { readNotebook } from "../kernel/headless/notebookFile.js";
import { runNotebook } from "../kernel/headless/runNotebook.js";
import { printText } from "./print.js";

const QUICKSTART = fileURLToPath(new URL("../../notebooks/quickstart.ipynb", import.meta.url));

/** `archive-frames demo`: runs the quickstart notebook in the kernel, and prints what it shows. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("run the quickstart notebook (on the embedded archive, unless ARCHIVE_API_KEY is set)")
    .action(demo);
}

async function demo(): Promise<void> {
  const stopped = new AbortController();
  // A second Ctrl+C ends the process as usual.
  process.once("SIGINT", () => stopped.abort());
  const { cells } = readNotebook(QUICKSTART);
  const { cells: executed } = await runNotebook(QUICKSTART, { signal: stopped.signal });
  for (const [at, { cell_type, source }] of cells.entries()) {
    if (cell_type === "code") printText(text(source).replace(/^/gm, "> "));
    else printText(`\n${text(source)}\n\n`);
    for (const output of executed[at]?.outputs ?? []) printText(`${shown(output)}\n`);
  }
}

function text(lines: Multiline): string {
  return typeof lines === "string" ? lines : lines.join("");
}

/** An output as text: a table as it is in a notebook without HTML. */
function shown(output: NotebookOutput): string {
  // Of the cell that may fail: danfo is an optional peer.
  if (output.output_type === "error") return `${output.ename}: ${output.evalue}\n`;
  const bundle = output.data as Readonly<Record<string, Multiline>> | undefined;
  return `${text((output.text as Multiline | undefined) ?? bundle?.["text/plain"] ?? "").trimEnd()}\n`;
}
