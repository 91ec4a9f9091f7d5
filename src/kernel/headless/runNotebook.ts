import { dirname, resolve } from "node:path";
import { AbortedError } from "../../errors/index.js";
import { abortSignal, boolean, checkedOptions, invalid, positiveNumber } from "../../errors/validators.js";
import {
  type CheckedNotebook,
  checkNotebook,
  type Notebook,
  type NotebookOutput,
} from "../../notebook/notebookFormat.js";
import { KernelClient } from "./kernelClient.js";
import type { KernelChoice } from "./kernelProcess.js";
import { readNotebook } from "./notebookFile.js";
import { NotebookRun } from "./notebookRun.js";
import { type Parameters, withParameters } from "./parameters.js";

/** Options of {@link runNotebook}. */
export interface RunOptions {
  /** Which kernel runs it. Default: the one of this package. */
  kernel?: KernelChoice | undefined;
  /** Values for a cell that is put in after the one with the tag `parameters`. */
  parameters?: Parameters | undefined;
  /** Go on after a cell that fails. Default false. */
  allowErrors?: boolean | undefined;
  /** Seconds that a cell may take. Default: any time. */
  timeout?: number | undefined;
  /** The folder in which it runs. Default: that of the notebook, or the current one. */
  cwd?: string | undefined;
  /** Stops the run. */
  signal?: AbortSignal | undefined;
  /** Is told of each output when it comes or changes, and of its cell. */
  onOutput?: ((output: NotebookOutput, index: number) => void) | undefined;
}

const OPTIONS = ["kernel", "parameters", "allowErrors", "timeout", "cwd", "signal", "onOutput"];

/**
 * Runs a notebook from its first cell to its last in a kernel of its own, and gives it as it is then. What is given is not
 * changed, and nothing is written.
 *
 * @param notebook the path of a file, or what such a file holds
 * @throws CellError when a cell fails or takes too long, with `notebook` as far as it has come
 * @throws KernelError when the kernel ends on its own
 * @throws AbortedError when `signal` stops it
 * @throws ValidationError for an option that is not valid, or a file that is no notebook
 * @example
 * const notebook = await runNotebook("trends.ipynb", { parameters: { phrase: "inflation" } });
 * notebook.cells.at(-1)?.outputs;
 */
export async function runNotebook(notebook: string | Notebook, given: RunOptions = {}): Promise<Notebook> {
  const options = checkedOptions(given, OPTIONS, "option of runNotebook");
  const { kernel = {}, parameters = {}, timeout, signal } = options;
  if (timeout !== undefined) positiveNumber("timeout", timeout, 600, "seconds");
  if (signal !== undefined) abortSignal("signal", signal);
  if (options.allowErrors !== undefined) boolean("allowErrors", options.allowErrors);
  const read = typeof notebook === "string" ? readNotebook(notebook) : checkNotebook(notebook);
  if (kernel.argv === undefined) checkLanguage(read);
  const prepared = withParameters(structuredClone(read), parameters);
  const cwd = options.cwd ?? (typeof notebook === "string" ? dirname(resolve(notebook)) : process.cwd());
  const stopped = () => new AbortedError("The run of the notebook was stopped by its signal.", signal?.reason);
  if (signal?.aborted) throw stopped();

  const client = await KernelClient.start(kernel, cwd);
  const run = new NotebookRun(client, prepared, options);
  let stop: (() => void) | undefined;
  const abort = new Promise<never>((_, reject) => {
    stop = () => reject(stopped());
    signal?.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([run.all(), abort]);
  } finally {
    if (stop !== undefined) signal?.removeEventListener("abort", stop);
    // The shutdown would wait behind a cell that still runs, so that is stopped first.
    if (signal?.aborted) client.interrupt();
    await client.close();
  }
}

/** A notebook of another language would only show errors of TypeScript. */
function checkLanguage({ metadata }: CheckedNotebook): void {
  const { kernelspec, language_info } = metadata as { readonly [name: string]: { readonly [name: string]: unknown } };
  const language = kernelspec?.language ?? language_info?.name;
  if (language === undefined || language === "typescript" || language === "javascript") return;
  throw invalid("language of the notebook", language, "Give a notebook in TypeScript.");
}
