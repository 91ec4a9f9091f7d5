import type { NotebookHost } from "../call/progress.js";
import { noteBundle, type OpenDisplay } from "../notebook/display/mimeBundle.js";
import { CellPositions } from "./cells/cellPositions.js";
import { CellRunner } from "./cells/cellRunner.js";
import type { Converter } from "./converter/converter.js";
import { Output } from "./output.js";
import { replaceSetImmediate } from "./patches/immediates.js";
import { cellModules } from "./patches/modules.js";
import { captureStandardStreams } from "./patches/standardStreams.js";
import { Prompts, type SendPrompt } from "./prompts.js";
import type { Content, Header, Message, Publish } from "./protocol/message.js";
import type { SocketThread } from "./protocol/socketThread.js";

interface SessionContext {
  readonly converter: Converter;
  readonly publish: Publish;
  readonly control: Pick<SocketThread, "running">;
  status(state: "busy" | "idle", parent: Header): void;
  reply(request: Message, content: Content): void;
  readonly sendPrompt: SendPrompt;
}

/** The running notebook of a kernel. */
export type NotebookSession = ReturnType<typeof startSession>;

/** Enough stack frames to reach the cell from a failed search. */
const STACK_TRACE_LIMIT = 50;

/** Turns this process into a notebook: its standard streams, module resolution and uncaught errors now belong to the cells. */
export function startSession({ converter, publish, status, reply, control, sendPrompt }: SessionContext) {
  const output = new Output(publish);
  const positions = new CellPositions();
  const runner = new CellRunner(converter, output, positions, cellModules(process.cwd()), control);
  replaceSetImmediate();
  captureStandardStreams(
    (stream, text) => {
      if (!runner.isInterrupted) output.text(stream, positions.toCellPositions(text));
    },
    (text) => output.display(noteBundle(text)),
  );
  console.clear = () => output.publish("clear_output", { wait: false });
  // A cell may end the process.
  process.on("exit", () => output.flush());
  Error.stackTraceLimit = STACK_TRACE_LIMIT;
  const prompts = new Prompts(sendPrompt);
  const host: NotebookHost = {
    get signal() {
      return runner.host.signal;
    },
    get progress() {
      return runner.host.progress;
    },
    get input() {
      return prompts.isAvailable ? (prompt: string) => prompts.ask(prompt, runner.host.signal) : undefined;
    },
    display: output.display as OpenDisplay,
    redact: (text) => prompts.redact(text),
  };
  // A global symbol: a copy of this package that shares no module with the kernel finds it too.
  Object.defineProperty(globalThis, Symbol.for("archive-frames.host"), { value: host, configurable: true });

  const queue: Message[] = [];
  let isBusy = false;
  let count = 0;

  /**
   * Runs requested cells in order. When one fails, the requests queued at that moment are aborted, as the protocol requires: their
   * sender had not seen the failure yet. Later requests run.
   */
  async function execute(request: Message): Promise<void> {
    queue.push(request);
    if (isBusy) return;
    isBusy = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next);
    isBusy = false;
  }

  async function run(request: Message): Promise<void> {
    const { silent, store_history, stop_on_error } = request.content;
    const code = String(request.content.code ?? "");
    if (silent !== true && store_history !== false) count += 1;
    const execution_count = count;
    output.parent = request.header;
    status("busy", request.header);
    if (silent !== true) output.publish("execute_input", { code, execution_count });
    prompts.request = request;
    const failure = await runner.run(count, code, silent === true);
    prompts.request = undefined;
    if (failure === undefined) {
      reply(request, { status: "ok", execution_count, payload: [], user_expressions: {} });
    } else {
      const aborted = stop_on_error === false ? [] : queue.splice(0);
      reply(request, { status: "error", execution_count, ...failure });
      for (const each of aborted) {
        status("busy", each.header);
        reply(each, { status: "aborted", execution_count });
        status("idle", each.header);
      }
    }
    status("idle", request.header);
  }

  return { runner, prompts, execute };
}
