import { dirname, resolve } from "node:path";
import { AbortedError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { type CheckedNotebook, checkNotebook, type Notebook } from "../../notebook/notebookFormat.js";
import { readNotebook } from "./notebookFile.js";
import { checkRunOptions, NotebookRun, type RunOptions } from "./notebookRun.js";
import { withParameters } from "./parameters.js";

/**
 * Runs the cells of a notebook in order, in a new kernel, without Jupyter or Python. Neither the argument nor the file is changed.
 *
 * @param notebook the path of an `.ipynb` file, or its parsed JSON
 * @param options parameters, timeout, signal and more, see {@link RunOptions}
 * @returns a copy of the notebook with the outputs and execution counts of this run
 * @throws CellError if a cell throws or exceeds `timeout`; its `notebook` contains the outputs so far
 * @throws KernelError if the kernel does not start or exits unexpectedly
 * @throws AbortedError if `signal` aborts
 * @throws ValidationError for an invalid option, or for anything but a TypeScript notebook of format 4
 * @example
 * const { cells } = await runNotebook("trends.ipynb", { parameters: { phrase: "inflation" }, timeout: 600 });
 * cells.at(-1)?.outputs;
 * //=> [{ output_type: "execute_result", execution_count: 4, data: { "text/plain": "42" }, metadata: {} }]
 */
export async function runNotebook(notebook: string | Notebook, options: RunOptions = {}): Promise<Notebook> {
  const checked = checkRunOptions(options);
  const { kernel = {}, parameters = {}, signal } = checked;
  const source = typeof notebook === "string" ? readNotebook(notebook) : checkNotebook(notebook);
  if (kernel.argv === undefined) checkLanguage(source);
  const prepared = withParameters(structuredClone(source), parameters);
  const cwd = checked.cwd ?? (typeof notebook === "string" ? dirname(resolve(notebook)) : process.cwd());
  const aborted = () => new AbortedError("The notebook run was aborted by its signal.", signal?.reason);
  if (signal?.aborted) throw aborted();

  // Loaded here so that importing this package does not load ZeroMQ.
  const { KernelClient } = await import("./kernelClient.js");
  const client = await KernelClient.start(kernel, cwd);
  const run = new NotebookRun(client, prepared, checked);
  let onAbort: () => void = () => undefined;
  const abort = new Promise<never>((_, reject) => {
    onAbort = () => reject(aborted());
  });
  signal?.addEventListener("abort", onAbort);
  // The signal may have aborted while the kernel started.
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([run.run(), abort]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Otherwise the shutdown would wait for the running cell.
    if (signal?.aborted) client.interrupt();
    await client.close();
  }
}

/** Rejects notebooks of another language, whose cells would only cause TypeScript errors. */
function checkLanguage({ metadata }: CheckedNotebook): void {
  const { kernelspec, language_info } = metadata as { readonly [name: string]: { readonly [name: string]: unknown } };
  const language = kernelspec?.language ?? language_info?.name;
  if (language === undefined || language === "typescript" || language === "javascript") return;
  throw invalid("language of the notebook", language, "Give a TypeScript notebook.");
}
