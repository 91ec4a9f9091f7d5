import { dirname, resolve } from "node:path";
import { ArchiveError, abortedError } from "../../errors/index.js";
import { abortSignal, boolean, checkedOptions, invalid, positiveNumber } from "../../errors/validators.js";
import { userPath } from "../../fs/paths.js";
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
import { escaped, quoted } from "../../util/text.js";
import { DISPLAY_NAME, KERNEL_NAME } from "../kernelSpec.js";
import type { Content } from "../protocol/message.js";
import { ForkedKernel } from "./forkedKernel.js";
import { type Parameters, withParameters } from "./parameters.js";

/** Options of `runNotebook`. */
export interface RunOptions {
  /** Further environment variables of the kernel. Default: none. A kernel that replays a snapshot gets no API key. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Values of variables that the cell tagged `parameters` declares; in Markdown cells, of `{{name}}`. Default: none. */
  parameters?: Parameters | undefined;
  /** Continue after a failed cell. Default: false; cells tagged `raises-exception` may always fail. */
  allowErrors?: boolean | undefined;
  /** Seconds that each cell may take. Default: unlimited. */
  timeout?: number | undefined;
  /** The working directory. Default: that of the notebook file, or the current one for a parsed notebook. */
  cwd?: string | undefined;
  /** Path of the executed notebook, written after every cell. Default: none. Without parameters it may be the notebook itself. */
  output?: string | undefined;
  /** Aborts the run. */
  signal?: AbortSignal | undefined;
  /** Called with each new or updated output and the index of its cell. */
  onOutput?: ((output: NotebookOutput, index: number) => void) | undefined;
}

const NAMES = ["env", "parameters", "allowErrors", "timeout", "cwd", "output", "signal", "onOutput"];

/**
 * Runs the cells of a notebook in order, in a new kernel, without Jupyter or Python. The notebook and its file stay as they are.
 *
 * @param notebook the path of an `.ipynb` file, or its parsed JSON
 * @returns a copy of the notebook with the outputs and execution counts of this run
 * @throws ArchiveError `CELL_FAILED` if a cell throws, `CELL_TIMEOUT` if it exceeds `timeout`, `KERNEL_DIED` if the kernel does not start or
 *   exits unexpectedly; see {@link NotebookError}: its `notebook` contains the outputs so far
 * @throws ArchiveError `ABORTED` if `signal` aborts, or another one if `output` cannot be written
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
  const target = output === undefined ? undefined : resolve(userPath("output", output, "study.executed.ipynb"));
  const source = typeof notebook === "string" ? readNotebook(notebook) : checkNotebook(notebook);
  const isInPlace = typeof notebook === "string" && target === resolve(userPath("notebook", notebook));
  if (isInPlace && Object.keys(parameters).length > 0)
    throw invalid("output", output, "A run with parameters does not change its notebook. Give another file.");
  const { language = "typescript" } = (source.metadata.kernelspec ?? {}) as { readonly language?: unknown };
  // The cells of another language would only cause TypeScript errors.
  if (!/^(type|java)script$/.test(`${language}`))
    throw invalid("language of the notebook", language, "Give a TypeScript notebook.");
  const copy = structuredClone(source);
  const prepared = isInPlace ? copy : withParameters(copy, parameters);
  const cwd = resolve(userPath("cwd", checked.cwd ?? (typeof notebook === "string" ? dirname(notebook) : ".")));
  const throwIfAborted = () => {
    if (signal?.aborted) throw abortedError("The notebook run was aborted by its signal.", signal.reason);
  };
  throwIfAborted();
  const kernel = new ForkedKernel(cwd, env);
  const stop = () => kernel.interrupt();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await runCells(prepared, kernel, checked);
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

async function runCells(notebook: CheckedNotebook, kernel: ForkedKernel, options: RunOptions): Promise<void> {
  const { output, onOutput, signal } = options;
  const { cells, metadata } = notebook;
  metadata.language_info = (await kernel.request("kernel_info_request", {})).language_info;
  metadata.kernelspec = { name: KERNEL_NAME, display_name: DISPLAY_NAME, language: "typescript" };
  for (const cell of cells) {
    if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
  }
  const write = () => output !== undefined && writeNotebook(output, notebook);
  // Fails now rather than after hours of work.
  write();
  const converter = new CellOutputs();
  for (const [index, cell] of cells.entries()) {
    if (cell.cell_type !== "code" || sourceOf(cell).trim() === "") continue;
    if (signal?.aborted) return;
    const { outputs = [] } = cell;
    kernel.onPublished = (type, content) => {
      const output = converter.add(outputs, type, content);
      if (output !== undefined) onOutput?.(output, index);
    };
    try {
      await runCell(cell, `Cell ${index + 1}`, kernel, options);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      // A kernel that was killed has published no error.
      if (outputs.at(-1)?.output_type !== "error") {
        const { name: ename, message: evalue } = error;
        outputs.push({ output_type: "error", ename, evalue, traceback: [`${ename}: ${evalue}`] });
      }
      throw withNotebook(error, index, notebook);
    } finally {
      outputs.splice(0, outputs.length, ...withoutProgress(outputs));
      write();
    }
  }
}

/** @throws ArchiveError if it fails unexpectedly or exceeds the timeout */
async function runCell(
  cell: NotebookCell,
  number: string,
  kernel: ForkedKernel,
  { allowErrors = false, timeout }: RunOptions,
): Promise<void> {
  const source = sourceOf(cell);
  const name = `${number} (${escaped(cell.id ?? "", 64)}), ${quoted(source.trim().split("\n")[0] ?? "")},`;
  let isLate = false;
  const interrupt = () => {
    isLate = true;
    kernel.interrupt();
  };
  const timer = timeout === undefined ? undefined : setTimeout(interrupt, timeout * 1000);
  const reply = await kernel
    .request("execute_request", { code: source })
    .catch((error: unknown) => {
      if (!isLate) throw error;
      return {} as Content;
    })
    .finally(() => clearTimeout(timer));
  if (isLate) {
    const hint = "Increase the timeout if the cell needs more.";
    throw new ArchiveError(`${name} took longer than ${timeout} seconds.`, { code: "CELL_TIMEOUT", hint });
  }
  if (typeof reply.execution_count === "number") cell.execution_count = reply.execution_count;
  if (reply.status === "ok" || allowErrors || hasTag(cell, "raises-exception")) return;
  const what = `failed with ${escaped(String(reply.ename), 80)}: ${quoted(String(reply.evalue), 300)}.`;
  throw new ArchiveError(`${name} ${what}`, { code: "CELL_FAILED", hint: "" });
}

/** Turns published messages into the outputs of cells. */
class CellOutputs {
  /** The latest output of each display, and its place: an update may concern an earlier cell. */
  readonly #displays = new Map<unknown, { readonly outputs: NotebookOutput[]; readonly output: NotebookOutput }>();

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], type: string, { transient, ...content }: Content): NotebookOutput | undefined {
    const id = (transient as { readonly display_id?: unknown } | undefined)?.display_id;
    if (type === "update_display_data") return this.#update(id, content);
    if (type === "clear_output") outputs.splice(0);
    if (!/^(?:stream|display_data|execute_result|error)$/.test(type)) return undefined;
    let output = { output_type: type, ...content } as NotebookOutput;
    const last = outputs.at(-1);
    if (type === "stream" && last?.output_type === "stream" && last.name === content.name) {
      output = { ...output, text: `${last.text}${content.text}` };
      outputs.pop();
    }
    outputs.push(output);
    if (id !== undefined) this.#displays.set(id, { outputs, output });
    return output;
  }

  #update(id: unknown, content: Content): NotebookOutput | undefined {
    const { outputs = [], output: before } = this.#displays.get(id) ?? {};
    const at = before === undefined ? -1 : outputs.indexOf(before);
    if (before === undefined || at < 0) return undefined;
    const output = { ...before, ...content };
    outputs[at] = output;
    this.#displays.set(id, { outputs, output });
    return output;
  }
}

/**
 * An error of `runNotebook`, with the notebook as far as it was run. The last output of the cell that failed is what it has thrown.
 *
 * @example
 * if (error instanceof ArchiveError && error.code === "CELL_FAILED") {
 *   const { index = 0, notebook } = error as NotebookError;
 *   console.log(index, notebook?.cells[index]?.outputs?.at(-1)?.evalue);
 *   //=> 3 invalid limit: 0. Give a whole number from 1, for example limit: 50.
 * }
 */
export interface NotebookError extends ArchiveError {
  /** Index of the cell in `notebook.cells`, from 0. */
  readonly index?: number;
  /** The notebook with the error in its outputs, if its kernel started. Not enumerable. */
  readonly notebook?: Notebook;
}

/** Adds what was run to an error. Not enumerable, so that a console does not print a large notebook. */
function withNotebook(error: ArchiveError, index: number, notebook: Notebook): NotebookError {
  return Object.defineProperty(Object.assign(error, { index }), "notebook", { value: notebook, enumerable: false });
}
