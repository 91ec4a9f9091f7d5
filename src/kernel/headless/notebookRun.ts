import type { ErrorCode } from "../../errors/index.js";
import { type CheckedNotebook, hasTag, type NotebookCell, sourceOf } from "../../notebook/notebookFormat.js";
import { withoutProgress } from "../../notebook/withoutProgress.js";
import { escaped, quoted } from "../../util/quoted.js";
import { KERNEL_NAME } from "../kernelspec/kernelSpec.js";
import type { Content } from "../protocol/message.js";
import { CellOutputs } from "./cellOutputs.js";
import type { KernelClient } from "./kernelClient.js";
import { CELL_FAILED, CELL_TIMEOUT, CellError } from "./notebookErrors.js";
import type { RunOptions } from "./runNotebook.js";

/** After an interrupt a cell may take so long to end; then its kernel is ended. */
const GRACE = 5000;

/** The expected failure of a cell, by the tag that Jupyter has for it. */
const RAISES = "raises-exception";

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
    // An update of a display may come when its cell is through.
    client.stray = (message) => {
      if (message.header.msg_type === "update_display_data") this.#outputs.take([], message);
    };
  }

  /** Runs all cells, in order. */
  async all(): Promise<CheckedNotebook> {
    const { cells, metadata } = this.#notebook;
    metadata.language_info = this.#client.info.language_info;
    if (this.#options.kernel?.argv === undefined) {
      metadata.kernelspec = { name: KERNEL_NAME, display_name: `TypeScript (${KERNEL_NAME})`, language: "typescript" };
    }
    for (const cell of cells) {
      if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
    }
    for (const [index, cell] of cells.entries()) {
      if (cell.cell_type === "code" && sourceOf(cell).trim() !== "") await this.#cell(cell, index);
    }
    return this.#notebook;
  }

  async #cell(cell: NotebookCell, index: number): Promise<void> {
    const { allowErrors = false, onOutput } = this.#options;
    const outputs = cell.outputs ?? [];
    const expected = allowErrors || hasTag(cell, RAISES);
    const reply = await this.#inTime(cell, index, () =>
      this.#client.execute(
        sourceOf(cell),
        (message) => {
          const output = this.#outputs.take(outputs, message);
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

  /** Stops a cell that takes too long; a kernel that does not stop is ended. */
  async #inTime(cell: NotebookCell, index: number, execute: () => Promise<Content>): Promise<Content> {
    const { timeout } = this.#options;
    if (timeout === undefined) return execute();
    let late = false;
    let kill: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      late = true;
      this.#client.interrupt();
      kill = setTimeout(() => this.#client.kernel.kill(), GRACE);
    }, timeout * 1000);
    try {
      const reply = await execute();
      if (!late) return reply;
    } catch (error) {
      if (!late) throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(kill);
    }
    throw this.#error(cell, index, `took longer than ${timeout} seconds.`, CELL_TIMEOUT, {
      ename: "Timeout",
      evalue: `The cell took longer than ${timeout} seconds.`,
      traceback: [],
    });
  }

  /** Also for a kernel that has only text for an error, as tslab's own. */
  #failed(cell: NotebookCell, index: number, reply: Content): CellError {
    const error = cell.outputs?.findLast(({ output_type }) => output_type === "error") ?? reply;
    const text = cell.outputs?.findLast(({ name }) => name === "stderr")?.text;
    const { ename = "Error", evalue = text ?? "no message", traceback = [] } = error as Partial<ErrorContent>;
    return this.#error(
      cell,
      index,
      `failed with ${escaped(String(ename), 80)}: ${quoted(String(evalue), 300)}.`,
      CELL_FAILED,
      {
        ename,
        evalue: String(evalue),
        traceback,
      },
    );
  }

  #error(cell: NotebookCell, index: number, what: string, code: ErrorCode, content: ErrorContent): CellError {
    const [line = ""] = sourceOf(cell).trim().split("\n");
    const name = cell.id === undefined ? `Cell ${index + 1}` : `Cell ${index + 1} (${escaped(cell.id, 64)})`;
    return new CellError(`${name}, ${quoted(line)}, ${what}`, {
      ...content,
      code,
      hint: code === CELL_TIMEOUT ? "If it needs more, give a larger timeout." : "",
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
