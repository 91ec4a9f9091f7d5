import { constants, copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { makeDirectory } from "../fs/directories.js";
import { toFileError } from "../fs/fileErrors.js";
import { userPath } from "../fs/paths.js";
import { type Notebook, type NotebookOutput, readNotebook, sourceOf, textOf } from "../notebook/notebookFormat.js";
import { printLines, printText } from "./print.js";
import { interruptible } from "./signals.js";

const DIRECTORY = fileURLToPath(new URL("../../notebooks", import.meta.url));

/** `archive-frames notebooks [dir]`: lists the ready-made notebooks, or copies them without overwriting anything. */
export function notebooksCommand(): Command {
  return new Command("notebooks")
    .description("list the ready-made notebooks, or copy them to a directory")
    .argument("[dir]", "where to copy them; existing files are never overwritten")
    .action((directory?: string) => {
      const names = readdirSync(DIRECTORY).filter((name) => name.endsWith(".ipynb"));
      printLines(directory === undefined ? listing(names) : copyAll(names, directory));
    });
}

function listing(names: readonly string[]): string[] {
  const width = Math.max(...names.map((name) => name.length));
  return [
    ...names.map((name) => `${name.padEnd(width)}  ${titleOf(readNotebook(join(DIRECTORY, name)))}`),
    "",
    `They are in ${DIRECTORY}. To copy them, type: archive-frames notebooks <dir>`,
  ];
}

function titleOf({ cells }: Notebook): string {
  const markdown = cells.find(({ cell_type }) => cell_type === "markdown");
  const [firstLine = ""] = markdown === undefined ? [] : sourceOf(markdown).split("\n");
  return firstLine.startsWith("# ") ? firstLine.slice(2) : "";
}

function copyAll(names: readonly string[], directory: string): string[] {
  const target = userPath("dir", directory, "notebooks/");
  makeDirectory(target);
  return names.map((name) => {
    const path = join(target, name);
    try {
      copyFileSync(join(DIRECTORY, name), path, constants.COPYFILE_EXCL);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return `${path} exists and was not overwritten`;
      throw toFileError(error, path);
    }
  });
}

/** `archive-frames demo`: runs the quickstart notebook and prints its cells and outputs. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("run the quickstart notebook (on the embedded archive, unless a key is set)")
    .action(demo);
}

async function demo(): Promise<void> {
  const { runNotebook } = await import("../kernel/headless/runNotebook.js");
  const path = join(DIRECTORY, "quickstart.ipynb");
  const { cells } = readNotebook(path);
  const { cells: executed } = await interruptible((signal) => runNotebook(path, { signal }));
  for (const [index, cell] of cells.entries()) {
    if (cell.cell_type === "code") printText(sourceOf(cell).replace(/^/gm, "> "));
    else printText(`\n${sourceOf(cell)}\n\n`);
    for (const output of executed[index]?.outputs ?? []) printText(`${outputText(output)}\n`);
  }
}

function outputText(output: NotebookOutput): string {
  const bundle = output.data as Readonly<Record<string, unknown>> | undefined;
  return `${(textOf(output.text ?? bundle?.["text/plain"]) ?? "").trimEnd()}\n`;
}
