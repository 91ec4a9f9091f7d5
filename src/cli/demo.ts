import { Command } from "commander";
import { type NotebookOutput, sourceOf, textOf } from "../notebook/notebookFormat.js";
import { notebookPath } from "./notebooks.js";
import { printText } from "./print.js";
import { interruptible } from "./signals.js";

/** `archive-frames demo`: runs the quickstart notebook and prints its cells and outputs. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("run the quickstart notebook (on the embedded archive, unless a key is set)")
    .action(demo);
}

async function demo(): Promise<void> {
  const { readNotebook } = await import("../kernel/headless/notebookFile.js");
  const { runNotebook } = await import("../kernel/headless/runNotebook.js");
  const path = notebookPath("quickstart.ipynb");
  const { cells } = readNotebook(path);
  const { cells: executed } = await interruptible((signal) => runNotebook(path, { signal }));
  for (const [index, cell] of cells.entries()) {
    if (cell.cell_type === "code") printText(sourceOf(cell).replace(/^/gm, "> "));
    else printText(`\n${sourceOf(cell)}\n\n`);
    for (const output of executed[index]?.outputs ?? []) printText(`${outputText(output)}\n`);
  }
}

function outputText(output: NotebookOutput): string {
  // One cell fails without danfo, an optional peer dependency.
  if (output.output_type === "error") return `${output.ename}: ${output.evalue}\n`;
  const bundle = output.data as Readonly<Record<string, unknown>> | undefined;
  return `${(textOf(output.text ?? bundle?.["text/plain"]) ?? "").trimEnd()}\n`;
}
