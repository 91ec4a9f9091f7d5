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
import type { Content, Message } from "../protocol/wire.js";
import type { KernelClient } from "./kernelClient.js";
import { type Thrown, withNotebook } from "./notebookErrors.js";
import { type Parameters, withParameters } from "./parameters.js";

/** Options of `runNotebook`. */
export interface RunOptions {
  /**
   * Environment variables of the kernel, in addition to those of this process. Default: none. A kernel that replays a snapshot gets no
   * API key.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Values of variables, injected after the cell tagged `parameters`, or as the first cell. Default: none. */
  parameters?: Parameters | undefined;
  /** Continue after a failed cell. Default: false; cells tagged `raises-exception` may always fail. */
  allowErrors?: boolean | undefined;
  /** Seconds that each cell may take. Default: unlimited. */
  timeout?: number | undefined;
  /** The working directory. Default: the directory of the notebook file, or the current one for a parsed notebook. */
  cwd?: string | undefined;
  /**
   * Path of a file for the executed notebook, written after every cell: a run that is killed keeps its outputs. Default: none. It may
   * be the notebook itself.
   */
  output?: string | undefined;
  /** Aborts the run. */
  signal?: AbortSignal | undefined;
  /** Called with each new or updated output and the index of its cell. */
  onOutput?: ((output: NotebookOutput, index: number) => void) | undefined;
}

const NAMES = ["env", "parameters", "allowErrors", "timeout", "cwd", "output", "signal", "onOutput"];

/** Milliseconds in which an interrupted cell must end before its kernel is killed. */
const INTERRUPT_TIMEOUT = 5000;

/**
 * Runs the cells of a notebook in order, in a new kernel of this package, without Jupyter or Python. Neither the argument nor its file is changed,
 * unless it is the `output`.
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
  const { kernelspec, language_info } = source.metadata as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const language = kernelspec?.language ?? language_info?.name ?? "typescript";
  // The cells of another language would only cause TypeScript errors.
  if (language !== "typescript" && language !== "javascript")
    throw invalid("language of the notebook", language, "Give a TypeScript notebook.");
  const prepared = withParameters(structuredClone(source), parameters);
  const directory = typeof notebook === "string" ? dirname(resolve(userPath("notebook", notebook))) : process.cwd();
  const cwd = checked.cwd === undefined ? directory : userPath("cwd", checked.cwd);
  const throwIfAborted = () => {
    if (signal?.aborted) throw abortedError("The notebook run was aborted by its signal.", signal.reason);
  };
  throwIfAborted();
  // Loaded here so that importing this package does not load ZeroMQ.
  const { KernelClient } = await import("./kernelClient.js");
  const client = await KernelClient.start({ env }, cwd);
  // Without the interrupt, the shutdown would wait for the running cell.
  const stop = () => {
    client.interrupt();
    void client.close();
  };
  signal?.addEventListener("abort", stop, { once: true });
  // The signal may have aborted while the kernel started.
  if (signal?.aborted) stop();
  try {
    await runCells(prepared, language, client, checked);
  } catch (error) {
    throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await client.close();
  }
  throwIfAborted();
  return prepared;
}

async function runCells(notebook: CheckedNotebook, language: unknown, client: KernelClient, options: RunOptions) {
  const { output, onOutput } = options;
  const { cells, metadata } = notebook;
  metadata.language_info = client.info.language_info;
  metadata.kernelspec = { name: KERNEL_NAME, display_name: DISPLAY_NAME, language };
  const converter = new CellOutputs();
  // A display may be updated after its cell has ended.
  client.onStray = (message) => {
    if (message.header.msg_type === "update_display_data") converter.add([], message);
  };
  for (const cell of cells) {
    if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
  }
  const write = () => output !== undefined && writeNotebook(output, notebook);
  // Fails now rather than after hours of work.
  write();
  for (const [index, cell] of cells.entries()) {
    if (cell.cell_type !== "code" || sourceOf(cell).trim() === "") continue;
    const { outputs = [] } = cell;
    const add = (message: Message) => {
      const output = converter.add(outputs, message);
      if (output !== undefined) onOutput?.(output, index);
    };
    try {
      await runCell(notebook, index, language, client, options, add);
    } catch (error) {
      if (error instanceof ArchiveError && error.code === "KERNEL_DIED") {
        const { name: ename, message: evalue } = error;
        outputs.push({ output_type: "error", ename, evalue, traceback: [`${ename}: ${evalue}`] });
        withNotebook(error, notebook);
      }
      throw error;
    } finally {
      write();
    }
  }
}

/** @throws ArchiveError if it fails unexpectedly or exceeds the timeout */
async function runCell(
  notebook: CheckedNotebook,
  index: number,
  language: unknown,
  client: KernelClient,
  { allowErrors = false, timeout }: RunOptions,
  add: (message: Message) => void,
): Promise<void> {
  const cell = notebook.cells[index] as NotebookCell;
  const { id, outputs = [] } = cell;
  const source = sourceOf(cell);
  const isExpected = allowErrors || hasTag(cell, "raises-exception");
  const run = client.execute(source, add, { stop_on_error: !isExpected, language });
  const reply = await withTimeout(run, client, timeout);
  const failure = (what: string, code: "CELL_FAILED" | "CELL_TIMEOUT", hint: string, thrown: Thrown) => {
    const name = id === undefined ? `Cell ${index + 1}` : `Cell ${index + 1} (${escaped(id, 64)})`;
    const [firstLine = ""] = source.trim().split("\n");
    const error = new ArchiveError(`${name}, ${quoted(firstLine)}, ${what}`, { code, hint });
    return withNotebook(Object.assign(error, { index, ...thrown }, id !== undefined && { id }), notebook);
  };
  if (reply === undefined) {
    const what = `took longer than ${timeout} seconds.`;
    const hint = "Increase the timeout if the cell needs more.";
    const thrown = { ename: "Timeout", evalue: `The cell ${what}`, traceback: [] };
    throw failure(what, "CELL_TIMEOUT", hint, thrown);
  }
  outputs.splice(0, outputs.length, ...withoutProgress(outputs));
  if (typeof reply.execution_count === "number") cell.execution_count = reply.execution_count;
  if (reply.status === "ok" || isExpected) return;
  const { ename = "Error", evalue = "no message", traceback = [] } = reply as Partial<Thrown>;
  const what = `failed with ${escaped(String(ename), 80)}: ${quoted(String(evalue), 300)}.`;
  throw failure(what, "CELL_FAILED", "", { ename, evalue: String(evalue), traceback });
}

/** The reply of a cell; undefined if it exceeded the timeout and was interrupted, or its kernel killed. */
async function withTimeout(
  run: Promise<Content>,
  client: KernelClient,
  timeout: number | undefined,
): Promise<Content | undefined> {
  if (timeout === undefined) return run;
  let kill: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    client.interrupt();
    kill = setTimeout(() => client.kernel.kill(), INTERRUPT_TIMEOUT);
  }, timeout * 1000);
  try {
    const reply = await run;
    return kill === undefined ? reply : undefined;
  } catch (error) {
    if (kill === undefined) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
  }
}

class CellOutputs {
  /** The outputs of each display: an update may concern an earlier cell. */
  readonly #displays = new Map<unknown, Array<{ outputs: NotebookOutput[]; output: NotebookOutput }>>();
  /** Whether the next output replaces all outputs of the cell. */
  #clears = false;

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], { header, content }: Message): NotebookOutput | undefined {
    const { msg_type } = header;
    if (msg_type === "update_display_data") return this.#update(content);
    if (msg_type === "clear_output") this.#clears = content.wait === true;
    if (msg_type === "clear_output" && !this.#clears) outputs.splice(0);
    if (!/^(?:stream|display_data|execute_result|error)$/.test(msg_type)) return undefined;
    if (this.#clears) outputs.splice(0);
    this.#clears = false;
    const { transient, ...rest } = content;
    let output = { output_type: msg_type, ...rest } as NotebookOutput;
    const last = outputs.at(-1);
    if (msg_type === "stream" && last?.output_type === "stream" && last.name === content.name) {
      output = { ...output, text: `${last.text}${content.text}` };
      outputs.pop();
    }
    outputs.push(output);
    const id = displayId(content);
    if (id !== undefined) this.#displays.set(id, [...(this.#displays.get(id) ?? []), { outputs, output }]);
    return output;
  }

  #update(content: Content): NotebookOutput | undefined {
    const places = this.#displays.get(displayId(content)) ?? [];
    for (const place of places) {
      const at = place.outputs.indexOf(place.output);
      if (at < 0) continue;
      place.output = { ...place.output, data: content.data, metadata: content.metadata };
      place.outputs[at] = place.output;
    }
    return places.at(-1)?.output;
  }
}

function displayId({ transient }: Content): unknown {
  return (transient as { readonly display_id?: unknown } | undefined)?.display_id;
}
