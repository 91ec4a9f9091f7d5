import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Command, InvalidArgumentError, Option } from "commander";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { CellError } from "../kernel/headless/notebookErrors.js";
import { writeNotebook } from "../kernel/headless/notebookFile.js";
import { parseParameter } from "../kernel/headless/parameters.js";
import { type RunOptions, runNotebook } from "../kernel/headless/runNotebook.js";
import type { Notebook } from "../notebook/notebookFormat.js";
import { printErrorLines, printLines } from "./print.js";

interface Values {
  readonly output?: string;
  readonly param: ReadonlyArray<[string, unknown]>;
  readonly html?: string;
  readonly allowErrors?: boolean;
  readonly timeout?: number;
  readonly preload?: boolean;
  readonly snapshot?: string;
  readonly snapshotMode?: string;
}

/**
 * `archive-frames run notebook.ipynb`: runs a notebook in the kernel of this package, without Jupyter or Python.
 *
 * @example
 * program.addCommand(runCommand());
 */
export function runCommand(): Command {
  return new Command("run")
    .description("run a notebook from its first cell to its last, without Jupyter")
    .argument("<notebook>", "path of an .ipynb file")
    .option("-o, --output <path>", "file for the notebook that was run (default: <name>.executed.ipynb beside it)")
    .option("-p, --param <name=value>", "value for a parameter; may be given several times", collect, [])
    .option("--html <path>", "write a report as well")
    .option("--allow-errors", "go on after a cell that fails")
    .option("--timeout <seconds>", "stop a cell that takes longer", seconds)
    .option("--snapshot <dir>", "keep the answers of the service in a folder, or take them from there")
    .addOption(
      new Option("--snapshot-mode <mode>", "what the snapshot does with a request (default: auto)").choices([
        "record",
        "replay",
        "auto",
        "refresh",
      ]),
    )
    .option("--preload", "declare archive, pl, display, show and chart before the first cell")
    .showHelpAfterError()
    .action(run);
}

/** The notebook is written also when a cell fails: the error stands among its outputs. */
async function run(path: string, { param, html, preload, snapshot, snapshotMode, ...values }: Values): Promise<void> {
  // Beside the original, as nbconvert does: a run never replaces what a person wrote, unless told to.
  const output = values.output ?? path.replace(/(\.ipynb)?$/, ".executed.ipynb");
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  // A second Ctrl+C ends the process as usual.
  process.once("SIGINT", stop);
  const options: RunOptions = {
    parameters: Object.fromEntries(param),
    kernel: { preload, env: snapshotEnv(snapshot, snapshotMode) },
    allowErrors: values.allowErrors,
    timeout: values.timeout,
    signal: stopped.signal,
  };
  try {
    await write(await runNotebook(path, options), output, html);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    await write(error.notebook, output, html);
    const trace = error.traceback.flatMap((line) => stripVTControlCharacters(line).split(/\r?\n/));
    printErrorLines([error.message, ...trace]);
    process.exitCode = 1;
  } finally {
    process.off("SIGINT", stop);
  }
}

async function write(notebook: Notebook, output: string, html: string | undefined): Promise<void> {
  writeNotebook(output, notebook);
  printLines([resolve(output)]);
  if (html === undefined) return;
  const { notebookHtml } = await import("../notebook/report/notebookHtml.js");
  writeFileAtomic(html, notebookHtml(notebook));
  printLines([resolve(html)]);
}

/** What tells `openArchive()` in the notebook of the snapshot; the notebook may run in another folder. */
function snapshotEnv(dir: string | undefined, mode: string | undefined): Record<string, string> {
  if (dir === undefined && mode === undefined) return {};
  return {
    ...(dir === undefined ? {} : { ARCHIVE_SNAPSHOT: resolve(dir) }),
    ...(mode === undefined ? {} : { ARCHIVE_SNAPSHOT_MODE: mode }),
  };
}

function collect(text: string, before: ReadonlyArray<[string, unknown]>): Array<[string, unknown]> {
  return [...before, parseParameter(text)];
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0)) throw new InvalidArgumentError("It must be a number of seconds above 0.");
  return value;
}
