import { isObject } from "../util/isObject.js";
import type { CellRunner } from "./cells/cellRunner.js";
import type { Iopub, Output } from "./outputs/output.js";
import type { Prompts } from "./prompts.js";
import type { Content, Message } from "./protocol/wire.js";

/** What an {@link ExecuteQueue} works with. */
export interface QueueContext {
  readonly runner: CellRunner;
  readonly output: Output;
  readonly prompts: Prompts;
  readonly iopub: Iopub;
  /** Sends the reply to a request. */
  reply(request: Message, content: Content): void;
}

/**
 * Runs requested cells in order. When one fails, the requests queued at that moment are aborted, as the protocol requires:
 * their sender had not seen the failure yet. Later requests run.
 */
export class ExecuteQueue {
  readonly #context: QueueContext;
  readonly #queue: Message[] = [];
  #inputs: readonly HistoryEntry[] = [];
  #busy = false;
  #count = 0;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  add(request: Message): void {
    this.#queue.push(request);
    if (!this.#busy) void this.#drain();
  }

  /** The inputs that a history request selects. */
  history(request: Content): readonly HistoryEntry[] {
    return selectInputs(this.#inputs, request);
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    for (let request = this.#queue.shift(); request !== undefined; request = this.#queue.shift()) {
      await this.#execute(request);
    }
    this.#busy = false;
  }

  async #execute(request: Message): Promise<void> {
    const { runner, output, prompts, iopub, reply } = this.#context;
    const { code, silent, store_history, stop_on_error } = request.content;
    const isStored = silent !== true && store_history !== false;
    if (isStored) this.#count += 1;
    const count = this.#count;
    if (isStored) this.#inputs = [...this.#inputs, [0, count, String(code ?? "")] as const].slice(-MAX_INPUTS);

    output.parent = request.header;
    iopub.status("busy", request.header);
    if (silent !== true) output.publish("execute_input", { code, execution_count: count });
    prompts.begin(request);
    const failure = await runner.run(count, String(code ?? ""), silent === true);
    if (failure === undefined) {
      const user_expressions = await userExpressions(runner, count, request.content.user_expressions);
      reply(request, { status: "ok", execution_count: count, payload: [], user_expressions });
    } else {
      const aborted = stop_on_error === false ? [] : this.#queue.splice(0);
      reply(request, { status: "error", execution_count: count, ...failure });
      for (const each of aborted) this.#abort(each);
    }
    prompts.end();
    iopub.status("idle", request.header);
  }

  #abort(request: Message): void {
    const { iopub, reply } = this.#context;
    iopub.status("busy", request.header);
    reply(request, { status: "aborted", execution_count: this.#count });
    iopub.status("idle", request.header);
  }
}

/** One input: session, execution count and code, as the protocol sends it. */
type HistoryEntry = readonly [session: number, line: number, code: string];

/** Number of inputs kept. */
const MAX_INPUTS = 1000;

/** The inputs that a `history_request` selects: the last ones, a range, or those that contain a text. Nothing is stored. */
function selectInputs(
  inputs: readonly HistoryEntry[],
  { hist_access_type, n, start, stop, pattern }: Content,
): readonly HistoryEntry[] {
  if (hist_access_type === "range") {
    return inputs.filter(([, line]) => line >= Number(start ?? 0) && line < Number(stop ?? Number.POSITIVE_INFINITY));
  }
  const parts = hist_access_type === "search" ? String(pattern ?? "*").split("*") : [];
  const found = inputs.filter(([, , code]) => parts.every((part) => code.includes(part)));
  return typeof n === "number" ? found.slice(Math.max(0, found.length - n)) : found;
}

/** Milliseconds for all expressions of a request. */
const TIMEOUT = 10_000;

/**
 * Evaluates the `user_expressions` of a request after its cell: Quarto uses them for code within text. An expression that fails
 * is an error in the reply, not a failed cell.
 */
async function userExpressions(runner: CellRunner, cell: number, expressions: unknown): Promise<Content> {
  const end = performance.now() + TIMEOUT;
  const replies: Record<string, Content> = {};
  for (const [name, expression] of Object.entries(isObject(expressions) ? expressions : {})) {
    if (typeof expression !== "string" || expression.trim() === "") {
      const evalue = "The expression is empty.";
      replies[name] = { status: "error", ename: "Error", evalue, traceback: [evalue] };
      continue;
    }
    const timer = setTimeout(() => runner.interrupt(), Math.max(0, end - performance.now()));
    const { failure, result: data = {} } = await runner.evaluate(cell, expression);
    clearTimeout(timer);
    replies[name] = failure === undefined ? { status: "ok", data, metadata: {} } : { status: "error", ...failure };
  }
  return replies;
}
