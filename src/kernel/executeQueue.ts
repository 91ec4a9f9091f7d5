import type { CellRunner } from "./cells/cellRunner.js";
import type { Iopub } from "./outputs/iopub.js";
import type { Output } from "./outputs/output.js";
import type { Content, Message } from "./protocol/message.js";

/** What an {@link ExecuteQueue} works with. */
export interface QueueTools {
  readonly runner: CellRunner;
  readonly output: Output;
  readonly iopub: Iopub;
  /** Sends the reply to a request. */
  reply(request: Message, content: Content): void;
}

/**
 * Runs the cells that are asked for, in order. When one fails, those that wait at that moment are aborted, as the protocol
 * says: whoever sent them had not seen the failure. What comes later is run.
 */
export class ExecuteQueue {
  readonly #tools: QueueTools;
  readonly #waiting: Message[] = [];
  #busy = false;
  #count = 0;

  constructor(tools: QueueTools) {
    this.#tools = tools;
  }

  add(request: Message): void {
    this.#waiting.push(request);
    if (!this.#busy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      await this.#execute(request);
    }
    this.#busy = false;
  }

  async #execute(request: Message): Promise<void> {
    const { runner, output, iopub, reply } = this.#tools;
    const { code, silent, store_history, stop_on_error } = request.content;
    if (silent !== true && store_history !== false) this.#count += 1;
    const count = this.#count;

    output.parent = request.header;
    iopub.status("busy", request.header);
    if (silent !== true) output.publish("execute_input", { code, execution_count: count });
    const failed = await runner.run(count, String(code ?? ""), silent === true);
    if (failed === undefined) {
      reply(request, { status: "ok", execution_count: count, payload: [], user_expressions: {} });
    } else {
      const aborted = stop_on_error === false ? [] : this.#waiting.splice(0);
      reply(request, { status: "error", execution_count: count, ...failed });
      for (const each of aborted) this.#abort(each);
    }
    iopub.status("idle", request.header);
  }

  #abort(request: Message): void {
    const { iopub, reply } = this.#tools;
    iopub.status("busy", request.header);
    reply(request, { status: "aborted", execution_count: this.#count });
    iopub.status("idle", request.header);
  }
}
