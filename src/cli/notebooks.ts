import { constants, copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { makeDirectory } from "../fs/makeDirectory.js";
import { toFileError } from "../fs/toFileError.js";
import { userPath } from "../fs/userPath.js";
import { type Notebook, sourceOf } from "../notebook/notebookFormat.js";
import { printLines } from "./print.js";

const DIRECTORY = fileURLToPath(new URL("../../notebooks", import.meta.url));

/** `archive-frames notebooks [dir]`: lists the ready-made notebooks, or copies them without overwriting anything. */
export function notebooksCommand(): Command {
  return new Command("notebooks")
    .description("list the ready-made notebooks, or copy them to a directory")
    .argument("[dir]", "where to copy them; existing files are never overwritten")
    .action(async (directory?: string) => {
      const names = readdirSync(DIRECTORY).filter((name) => name.endsWith(".ipynb"));
      printLines(directory === undefined ? await listing(names) : copyAll(names, directory));
    });
}

export function notebookPath(name: string): string {
  return join(DIRECTORY, name);
}

async function listing(names: readonly string[]): Promise<string[]> {
  const { readNotebook } = await import("../kernel/headless/notebookFile.js");
  const width = Math.max(...names.map((name) => name.length));
  return [
    ...names.map((name) => `${name.padEnd(width)}  ${titleOf(readNotebook(notebookPath(name)))}`),
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
  return names.map((name) => copy(notebookPath(name), join(target, name)));
}

function copy(source: string, target: string): string {
  try {
    copyFileSync(source, target, constants.COPYFILE_EXCL);
    return target;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return `${target} exists and was not overwritten`;
    throw toFileError(error, target);
  }
}
