import { dirname, resolve } from "node:path";
import { ArchiveError, abortedError } from "../../errors/index.js";
import { abortSignal, boolean, checkedOptions, invalid, positiveNumber } from "../../errors/validators.js";
import { userPath } from "../../fs/userPath.js";
import { withoutProgress } from "../../notebook/display/progressDisplay.js";
import {
  type CheckedNotebook,
  checkNotebook,
  hasTag,
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
  readNotebook,
  sourceOf,
  writeNotebook,
} from "../../notebook/notebookFormat.js";
import { escaped, quoted } from "../../util/quoted.js";
import { DISPLAY_NAME, KERNEL_NAME } from "../kernelSpec.js";
import type { Content } from "../protocol/message.js";
import { CellOutputs } from "./cellOutputs.js";
import { ForkedKernel } from "./forkedKernel.js";
import { type Thrown, withNotebook } from "./notebookErrors.js";
import { type Parameters, withParameters } from "./parameters.js";

/** Options of `runNotebook`. */
export interface RunOptions {
  /**
   * Environment variables of the kernel, in addition to those of this process. Default: none. A kernel that replays a snapshot gets no
   * API key.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Values of variables that the cell tagged `parameters` declares. In Markdown cells, `{{name}}` becomes the value of a parameter.
   * Default: none.
   */
  parameters?: Parameters | undefined;
  /** Continue after a failed cell. Default: false; cells tagged `raises-exception` may always fail. */
  allowErrors?: boolean | undefined;
  /** Seconds that each cell may take. Default: unlimited. */
  timeout?: number | undefined;
  /** The working directory. Default: the directory of the notebook file, or the current one for a parsed notebook. */
  cwd?: string | undefined;
  /**
   * Path of a file for the executed notebook, written after every cell: a run that is killed keeps its outputs. Default: none. Without
   * parameters it may be the notebook itself.
   */
  output?: string | undefined;
  /** Aborts the run. */
  signal?: AbortSignal | undefined;
  /** Called with each new or updated output and the index of its cell. */
  onOutput?: ((output: NotebookOutput, index: number) => void) | undefined;
}

const NAMES = ["env", "parameters", "allowErrors", "timeout", "cwd", "output", "signal", "onOutput"];

/**
 * Runs the cells of a notebook in order, in a new kernel of this package, without Jupyter or Python. Neither the argument nor its file is
 * changed, unless it is the `output`.
 *
 * @param notebook the path of an `.ipynb` file, or its parsed JSON
 * @param options parameters, timeout, signal and more, see {@link RunOptions}
 * @returns a copy of the notebook with the outputs and execution counts of this run
 * @throws ArchiveError `CELL_FAILED` if a cell throws, `CELL_TIMEOUT` if it exceeds `timeout`, `KERNEL_DIED` if the kernel does not start or
 *   exits unexpectedly; see {@link NotebookError}: its `notebook` contains the outputs so far
 * @throws ArchiveError `ABORTED` if `signal` aborts
 * @throws ArchiveError if `output` cannot be written
 * @throws ValidationError for an invalid option, or for anything but a TypeScript notebook of format 4
 * @example
 * const { cells } = await runNotebook("trends.ipynb", { parameters: { phrase: "inflation" }, timeout: 600 });
 * cells.at(-1)?.outputs;
 * //=> [{ output_type: "execute_result", execution_count: 4, data: { "text/plain": "42" }, metadata: {} }]
 */
export async function runNotebook(notebook: string | Notebook, options: RunOptions = {}): Promise<Notebook> {
  const checked = checkedOptions(options, NAMES, "option of runNotebook");
  const { env = {}, parameters = {}, timeout, allowErrors, output, signal } = checked;
  if (timeout !== undefined) positiveNumber("timeout", timeout, 600, "seconds");
  if (signal !== undefined) abortSignal("signal", signal);
  if (allowErrors !== undefined) boolean("allowErrors", allowErrors);
  if (output !== undefined) userPath("output", output, "study.executed.ipynb");
  const source = typeof notebook === "string" ? readNotebook(notebook) : checkNotebook(notebook);
  const isInPlace = typeof notebook === "string" && output !== undefined && resolve(output) === resolve(notebook);
  if (isInPlace && Object.keys(parameters).length > 0)
    throw invalid("output", output, "A run with parameters does not change its notebook. Give another file.");
  const { kernelspec, language_info } = source.metadata as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const language = kernelspec?.language ?? language_info?.name ?? "typescript";
  // The cells of another language would only cause TypeScript errors.
  if (language !== "typescript" && language !== "javascript")
    throw invalid("language of the notebook", language, "Give a TypeScript notebook.");
  const copy = structuredClone(source);
  const prepared = isInPlace ? copy : withParameters(copy, parameters);
  const directory = typeof notebook === "string" ? dirname(resolve(userPath("notebook", notebook))) : process.cwd();
  const cwd = checked.cwd === undefined ? directory : userPath("cwd", checked.cwd);
  const throwIfAborted = () => {
    if (signal?.aborted) throw abortedError("The notebook run was aborted by its signal.", signal.reason);
  };
  throwIfAborted();
  const kernel = new ForkedKernel(cwd, env);
  const stop = () => kernel.interrupt();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await runCells(prepared, language, kernel, checked);
  } catch (error) {
    throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await kernel.close();
  }
  throwIfAborted();
  return prepared;
}

async function runCells(notebook: CheckedNotebook, language: unknown, kernel: ForkedKernel, options: RunOptions) {
  const { output, onOutput, signal } = options;
  const { cells, metadata } = notebook;
  metadata.language_info = (await kernel.request("kernel_info_request", {})).language_info;
  metadata.kernelspec = { name: KERNEL_NAME, display_name: DISPLAY_NAME, language };
  const converter = new CellOutputs();
  // A display may be updated after its cell has ended.
  kernel.onStray = (type, content) => {
    if (type === "update_display_data") converter.add([], type, content);
  };
  for (const cell of cells) {
    if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
  }
  const write = () => output !== undefined && writeNotebook(output, notebook);
  // Fails now rather than after hours of work.
  write();
  for (const [index, cell] of cells.entries()) {
    if (cell.cell_type !== "code" || sourceOf(cell).trim() === "") continue;
    if (signal?.aborted) return;
    const { outputs = [] } = cell;
    const add = (type: string, content: Content) => {
      const output = converter.add(outputs, type, content);
      if (output !== undefined) onOutput?.(output, index);
    };
    try {
      await runCell(notebook, index, kernel, options, add);
    } catch (error) {
      // A kernel that was killed has published no error.
      if (error instanceof ArchiveError && outputs.at(-1)?.output_type !== "error") {
        const { name: ename, message: evalue } = error;
        outputs.push({ output_type: "error", ename, evalue, traceback: [`${ename}: ${evalue}`] });
        withNotebook(error, notebook);
      }
      throw error;
    } finally {
      outputs.splice(0, outputs.length, ...withoutProgress(outputs));
      write();
    }
  }
}

/** @throws ArchiveError if it fails unexpectedly or exceeds the timeout */
async function runCell(
  notebook: CheckedNotebook,
  index: number,
  kernel: ForkedKernel,
  { allowErrors = false, timeout }: RunOptions,
  add: (type: string, content: Content) => void,
): Promise<void> {
  const cell = notebook.cells[index] as NotebookCell;
  const source = sourceOf(cell);
  const isExpected = allowErrors || hasTag(cell, "raises-exception");
  const reply = await withTimeout(kernel.request("execute_request", { code: source }, add), kernel, timeout);
  const failure = (what: string, code: "CELL_FAILED" | "CELL_TIMEOUT", hint: string, thrown: Thrown) => {
    const { id } = cell;
    const name = id === undefined ? `Cell ${index + 1}` : `Cell ${index + 1} (${escaped(id, 64)})`;
    const [firstLine = ""] = source.trim().split("\n");
    const error = new ArchiveError(`${name}, ${quoted(firstLine)}, ${what}`, { code, hint });
    return withNotebook(Object.assign(error, { index, ...thrown }, id !== undefined && { id }), notebook);
  };
  if (reply === undefined) {
    const what = `took longer than ${timeout} seconds.`;
    const hint = "Increase the timeout if the cell needs more.";
    throw failure(what, "CELL_TIMEOUT", hint, { ename: "Timeout", evalue: `The cell ${what}`, traceback: [] });
  }
  if (typeof reply.execution_count === "number") cell.execution_count = reply.execution_count;
  if (reply.status === "ok" || isExpected) return;
  const { ename = "Error", evalue = "no message", traceback = [] } = reply as Partial<Thrown>;
  const what = `failed with ${escaped(String(ename), 80)}: ${quoted(String(evalue), 300)}.`;
  throw failure(what, "CELL_FAILED", "", { ename, evalue: String(evalue), traceback });
}

/** The reply of a cell; undefined if it exceeded the timeout and was interrupted, or its kernel killed. */
async function withTimeout(
  reply: Promise<Content>,
  kernel: ForkedKernel,
  timeout: number | undefined,
): Promise<Content | undefined> {
  if (timeout === undefined) return reply;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kernel.interrupt();
  }, timeout * 1000);
  try {
    const content = await reply;
    return isLate ? undefined : content;
  } catch (error) {
    if (!isLate) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
