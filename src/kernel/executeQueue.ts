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
    if (silent !== true && store_history !== false) this.#count += 1;
    const count = this.#count;

    output.parent = request.header;
    iopub.status("busy", request.header);
    if (silent !== true) output.publish("execute_input", { code, execution_count: count });
    prompts.begin(request);
    const failure = await runner.run(count, String(code ?? ""), silent === true);
    if (failure === undefined) {
      reply(request, { status: "ok", execution_count: count, payload: [], user_expressions: {} });
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
