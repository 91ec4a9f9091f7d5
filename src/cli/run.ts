import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Command, InvalidArgumentError, Option } from "commander";
import { ArchiveError } from "../errors/index.js";
import { userPath } from "../fs/paths.js";
import type { NotebookError, RunOptions } from "../kernel/headless/runNotebook.js";
import type { Notebook } from "../notebook/notebookFormat.js";
import type { NotebookHtmlOptions } from "../notebook/report/notebookHtml.js";
import { addSnapshotFlags, snapshotVariables } from "./flags.js";
import { printErrorLines, printLines } from "./print.js";
import { interruptible } from "./signals.js";

interface Values {
  readonly output?: string;
  readonly param: readonly string[];
  readonly html?: string;
  readonly code?: NotebookHtmlOptions["code"];
  readonly allowErrors?: boolean;
  readonly timeout?: number;
  readonly snapshot?: string;
  readonly snapshotMode?: string;
}

/** `archive-frames run <notebook>`: runs a notebook in the kernel of this package, without Jupyter or Python. */
export function runCommand(): Command {
  const command = new Command("run")
    .description("run all cells of a notebook, without Jupyter")
    .argument("<notebook>", "path of an .ipynb file")
    .option(
      "-o, --output <path>",
      "file for the executed notebook (default: <name>.executed.ipynb in the same directory)",
    )
    .option("-p, --param <name=value>", "set a parameter of the notebook; repeatable", collect, [])
    .option(
      "--html <path>",
      "also write a self-contained HTML report; the parameters title and date are its title and date",
    )
    .addOption(
      new Option("--code <how>", "code in the report (default: shown)").choices(["shown", "collapsed", "hidden"]),
    )
    .option("--allow-errors", "continue after a failed cell")
    .option("--timeout <seconds>", "stop a cell after this time (default: never)", seconds);
  return addSnapshotFlags(command).action(run);
}

/** Writes the notebook after every cell, and the report even if a cell fails or the kernel dies; both then contain the error. */
async function run(path: string, { param, html, code, snapshot, snapshotMode, ...values }: Values): Promise<void> {
  const { parseParameters } = await import("../kernel/headless/parameters.js");
  const { runNotebook } = await import("../kernel/headless/runNotebook.js");
  // A new file by default, as in nbconvert: a run overwrites the original only if asked to.
  const output = values.output ?? path.replace(/(\.ipynb)?$/, ".executed.ipynb");
  // The kernel may run in another directory.
  const directory = snapshot === undefined ? undefined : resolve(userPath("snapshot", snapshot));
  const { readNotebook } = await import("../notebook/notebookFormat.js");
  const parameters = param.length === 0 ? {} : parseParameters(param, readNotebook(path));
  const report: NotebookHtmlOptions = {
    title: textOf(parameters.title),
    date: textOf(parameters.date),
    code,
  };
  const options: RunOptions = {
    parameters,
    env: snapshotVariables(directory, snapshotMode),
    allowErrors: values.allowErrors,
    timeout: values.timeout,
    output,
  };
  try {
    const executed = await interruptible((signal) => runNotebook(path, { ...options, signal }));
    await printAndReport(executed, output, html, report);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const { index = 0, notebook } = error as NotebookError;
    if (notebook === undefined) throw error;
    await printAndReport(notebook, output, html, report);
    if (error.code !== "CELL_FAILED") throw error;
    const { traceback = [] } = (notebook.cells[index]?.outputs?.at(-1) ?? {}) as { readonly traceback?: string[] };
    const trace = traceback.flatMap((line) => stripVTControlCharacters(line).split(/\r?\n/));
    printErrorLines([error.message, ...trace]);
    process.exitCode ??= 1;
  }
}

async function printAndReport(
  notebook: Notebook,
  output: string,
  html: string | undefined,
  report: NotebookHtmlOptions,
): Promise<void> {
  printLines([resolve(userPath("output", output))]);
  if (html === undefined) return;
  const { outputFile, writeFileAtomic } = await import("../fs/writeFileAtomic.js");
  const { notebookHtml } = await import("../notebook/report/notebookHtml.js");
  writeFileAtomic(outputFile(userPath("html", html)), notebookHtml(notebook, report));
  printLines([resolve(userPath("html", html))]);
}

/** The parameter if it is text; otherwise it is not meant for the report. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0)) throw new InvalidArgumentError("Give a number of seconds above 0.");
  return value;
}
