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
  /** The inputs so far. */
  readonly history = new InputHistory();
  readonly #context: QueueContext;
  readonly #queue: Message[] = [];
  #busy = false;
  #count = 0;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  add(request: Message): void {
    this.#queue.push(request);
    if (!this.#busy) void this.#drain();
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
    if (isStored) this.history.add(count, String(code ?? ""));

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
export type HistoryEntry = readonly [session: number, line: number, code: string];

/** Number of inputs kept. */
const MAX_INPUTS = 1000;

/** The inputs of this session, for the history of a console. Nothing is stored. */
export class InputHistory {
  #entries: HistoryEntry[] = [];

  add(count: number, code: string): void {
    this.#entries = [...this.#entries, [0, count, code] as const].slice(-MAX_INPUTS);
  }

  /** The entries that a `history_request` selects: the last ones, a range, or those that contain a text. */
  select({ hist_access_type, n, start, stop, pattern }: Content): HistoryEntry[] {
    const last = (entries: HistoryEntry[]) =>
      typeof n === "number" ? entries.slice(Math.max(0, entries.length - n)) : entries;
    if (hist_access_type === "range") {
      const [from, to] = [Number(start ?? 0), Number(stop ?? Number.POSITIVE_INFINITY)];
      return this.#entries.filter(([, line]) => line >= from && line < to);
    }
    if (hist_access_type !== "search") return last(this.#entries);
    const parts = String(pattern ?? "*").split("*");
    return last(this.#entries.filter(([, , code]) => parts.every((part) => code.includes(part))));
  }
}

/** Number of expressions evaluated per request. */
const MAX_EXPRESSIONS = 100;

/** Longer expressions are refused. */
const MAX_LENGTH = 10_000;

/** Milliseconds for all expressions of a request. */
const TIMEOUT = 10_000;

/**
 * Evaluates the `user_expressions` of a request after its cell: Quarto uses them for code within text. An expression that fails
 * is an error in the reply, not a failed cell.
 */
export async function userExpressions(runner: CellRunner, cell: number, expressions: unknown): Promise<Content> {
  if (!isObject(expressions)) return {};
  const end = performance.now() + TIMEOUT;
  const replies: Record<string, Content> = {};
  for (const [index, [name, expression]] of Object.entries(expressions).entries()) {
    const problem = problemOf(index, expression, end);
    replies[name] = problem === undefined ? await evaluate(runner, cell, expression as string, end) : refused(problem);
  }
  return replies;
}

function problemOf(index: number, expression: unknown, end: number): string | undefined {
  if (index >= MAX_EXPRESSIONS) return `Only ${MAX_EXPRESSIONS} expressions are evaluated per request.`;
  if (typeof expression !== "string" || expression.trim() === "") return "The expression is empty.";
  if (expression.length > MAX_LENGTH) return `The expression is longer than ${MAX_LENGTH} characters.`;
  if (performance.now() > end) return `The expressions took longer than ${TIMEOUT / 1000} seconds.`;
  return undefined;
}

async function evaluate(runner: CellRunner, cell: number, expression: string, end: number): Promise<Content> {
  const timer = setTimeout(() => runner.interrupt(), Math.max(0, end - performance.now()));
  const { failure, result = {} } = await runner.evaluate(cell, expression);
  clearTimeout(timer);
  return failure === undefined ? { status: "ok", data: result, metadata: {} } : { status: "error", ...failure };
}

function refused(evalue: string): Content {
  return { status: "error", ename: "Error", evalue, traceback: [evalue] };
}
