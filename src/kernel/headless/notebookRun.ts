import type { CellErrorCode } from "../../errors/index.js";
import { abortSignal, boolean, checkedOptions, positiveNumber } from "../../errors/validators.js";
import { withoutProgress } from "../../notebook/display/progressDisplay.js";
import {
  type CheckedNotebook,
  hasTag,
  type NotebookCell,
  type NotebookOutput,
  sourceOf,
} from "../../notebook/notebookFormat.js";
import { escaped, quoted } from "../../util/quoted.js";
import { DISPLAY_NAME, KERNEL_NAME } from "../kernelSpec.js";
import type { Content, Message } from "../protocol/wire.js";
import type { KernelClient } from "./kernelClient.js";
import type { KernelLaunchOptions } from "./kernelProcess.js";
import { CellError } from "./notebookErrors.js";
import type { Parameters } from "./parameters.js";

/** Options of `runNotebook`. */
export interface RunOptions {
  /** How to start the kernel. Default: the kernel of this package. */
  kernel?: KernelLaunchOptions | undefined;
  /** Values of variables, injected after the cell tagged `parameters`, or as the first cell. Default: none. */
  parameters?: Parameters | undefined;
  /** Continue after a failed cell. Default: false; cells tagged `raises-exception` may always fail. */
  allowErrors?: boolean | undefined;
  /** Seconds that each cell may take. Default: unlimited. */
  timeout?: number | undefined;
  /** The working directory. Default: the directory of the notebook file, or the current one for a parsed notebook. */
  cwd?: string | undefined;
  /** Aborts the run. */
  signal?: AbortSignal | undefined;
  /** Called with each new or updated output and the index of its cell. */
  onOutput?: ((output: NotebookOutput, index: number) => void) | undefined;
}

const NAMES = ["kernel", "parameters", "allowErrors", "timeout", "cwd", "signal", "onOutput"];

/** @throws ValidationError for an unknown option or an invalid value */
export function checkRunOptions(given: RunOptions): RunOptions {
  const options = checkedOptions(given, NAMES, "option of runNotebook");
  if (options.timeout !== undefined) positiveNumber("timeout", options.timeout, 600, "seconds");
  if (options.signal !== undefined) abortSignal("signal", options.signal);
  if (options.allowErrors !== undefined) boolean("allowErrors", options.allowErrors);
  return options;
}

/** Milliseconds that an interrupted cell may take to end; after that its kernel is killed. */
const INTERRUPT_TIMEOUT = 5000;

/** Jupyter's tag for cells that are expected to fail. */
const RAISES_EXCEPTION = "raises-exception";

/** One run of a notebook in a kernel. */
export class NotebookRun {
  readonly #client: KernelClient;
  readonly #notebook: CheckedNotebook;
  readonly #options: RunOptions;
  readonly #outputs = new CellOutputs();

  constructor(client: KernelClient, notebook: CheckedNotebook, options: RunOptions) {
    this.#client = client;
    this.#notebook = notebook;
    this.#options = options;
    // A display may be updated after its cell has ended.
    client.onStray = (message) => {
      if (message.header.msg_type === "update_display_data") this.#outputs.add([], message);
    };
  }

  /** Runs all cells in order. */
  async run(): Promise<CheckedNotebook> {
    const { cells, metadata } = this.#notebook;
    metadata.language_info = this.#client.info.language_info;
    if (this.#options.kernel?.argv === undefined) {
      metadata.kernelspec = { name: KERNEL_NAME, display_name: DISPLAY_NAME, language: "typescript" };
    }
    for (const cell of cells) {
      if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
    }
    for (const [index, cell] of cells.entries()) {
      if (cell.cell_type === "code" && sourceOf(cell).trim() !== "") await this.#runCell(cell, index);
    }
    return this.#notebook;
  }

  async #runCell(cell: NotebookCell, index: number): Promise<void> {
    const { allowErrors = false, onOutput } = this.#options;
    const outputs = cell.outputs ?? [];
    const expected = allowErrors || hasTag(cell, RAISES_EXCEPTION);
    const reply = await this.#withTimeout(cell, index, () =>
      this.#client.execute(
        sourceOf(cell),
        (message) => {
          const output = this.#outputs.add(outputs, message);
          if (output !== undefined) onOutput?.(output, index);
        },
        { stop_on_error: !expected },
      ),
    );
    outputs.splice(0, outputs.length, ...withoutProgress(outputs));
    if (typeof reply.execution_count === "number") cell.execution_count = reply.execution_count;
    for (const output of outputs) {
      if (output.output_type === "execute_result") cell.execution_count = output.execution_count as number;
    }
    if (reply.status !== "ok" && !expected) throw this.#failed(cell, index, reply);
  }

  /** Interrupts a cell that exceeds the timeout, and kills the kernel if that does not help. */
  async #withTimeout(cell: NotebookCell, index: number, execute: () => Promise<Content>): Promise<Content> {
    const { timeout } = this.#options;
    if (timeout === undefined) return execute();
    let timedOut = false;
    let kill: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      timedOut = true;
      this.#client.interrupt();
      kill = setTimeout(() => this.#client.kernel.kill(), INTERRUPT_TIMEOUT);
    }, timeout * 1000);
    try {
      const reply = await execute();
      if (!timedOut) return reply;
    } catch (error) {
      if (!timedOut) throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(kill);
    }
    throw this.#error(cell, index, `took longer than ${timeout} seconds.`, "CELL_TIMEOUT", {
      ename: "Timeout",
      evalue: `The cell took longer than ${timeout} seconds.`,
      traceback: [],
    });
  }

  #failed(cell: NotebookCell, index: number, reply: Content): CellError {
    const { ename = "Error", evalue = "no message", traceback = [] } = reply as Partial<ErrorContent>;
    const what = `failed with ${escaped(String(ename), 80)}: ${quoted(String(evalue), 300)}.`;
    return this.#error(cell, index, what, "CELL_FAILED", { ename, evalue: String(evalue), traceback });
  }

  #error(cell: NotebookCell, index: number, what: string, code: CellErrorCode, content: ErrorContent): CellError {
    const [firstLine = ""] = sourceOf(cell).trim().split("\n");
    const name = cell.id === undefined ? `Cell ${index + 1}` : `Cell ${index + 1} (${escaped(cell.id, 64)})`;
    return new CellError(`${name}, ${quoted(firstLine)}, ${what}`, {
      ...content,
      code,
      hint: code === "CELL_TIMEOUT" ? "Increase the timeout if the cell needs more." : "",
      index,
      id: cell.id,
      notebook: this.#notebook,
    });
  }
}

interface ErrorContent {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

/** Converts messages of a kernel to the outputs of the cells of one notebook. */
export class CellOutputs {
  /** The outputs of each display: an update may concern an earlier cell. */
  readonly #displays = new Map<string, Array<{ outputs: NotebookOutput[]; output: NotebookOutput }>>();
  #clearing: NotebookOutput[] | undefined;

  /**
   * Adds the output of one message.
   *
   * @param outputs the outputs of the running cell, which are modified
   * @returns the output that was added or changed
   */
  add(outputs: NotebookOutput[], { header, content }: Message): NotebookOutput | undefined {
    switch (header.msg_type) {
      case "clear_output":
        if (content.wait === true) this.#clearing = outputs;
        else outputs.splice(0);
        return undefined;
      case "update_display_data":
        return this.#update(content);
      case "stream":
      case "display_data":
      case "execute_result":
      case "error":
        if (this.#clearing === outputs) outputs.splice(0);
        this.#clearing = undefined;
        return header.msg_type === "stream"
          ? this.#addText(outputs, content)
          : this.#addOutput(outputs, header.msg_type, content);
    }
    return undefined;
  }

  #addText(outputs: NotebookOutput[], { name, text }: Content): NotebookOutput {
    const last = outputs.at(-1);
    const continues = last?.output_type === "stream" && last.name === name;
    const output: NotebookOutput = { output_type: "stream", name, text: `${continues ? last.text : ""}${text}` };
    outputs.splice(continues ? -1 : outputs.length, 1, output);
    return output;
  }

  #addOutput(outputs: NotebookOutput[], output_type: NotebookOutput["output_type"], content: Content): NotebookOutput {
    const { transient: _, ...rest } = content;
    const output: NotebookOutput = { output_type, ...rest };
    outputs.push(output);
    const id = displayId(content);
    if (id !== undefined) this.#displays.set(id, [...(this.#displays.get(id) ?? []), { outputs, output }]);
    return output;
  }

  #update(content: Content): NotebookOutput | undefined {
    const places = this.#displays.get(displayId(content) ?? "") ?? [];
    for (const place of places) {
      const at = place.outputs.indexOf(place.output);
      if (at < 0) continue;
      place.output = { ...place.output, data: content.data, metadata: content.metadata };
      place.outputs[at] = place.output;
    }
    return places.at(-1)?.output;
  }
}

function displayId({ transient }: Content): string | undefined {
  const { display_id } = (transient ?? {}) as { readonly display_id?: unknown };
  return typeof display_id === "string" ? display_id : undefined;
}
