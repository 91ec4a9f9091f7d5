import { StringDecoder } from "node:string_decoder";
import type { NotebookHost } from "../call/notebookHost.js";
import { WARNING } from "../errors/warn.js";
import { noteBundle, type OpenDisplay } from "../notebook/display/mimeBundle.js";
import { escapedLines } from "../util/quoted.js";
import { withoutKernelFrames } from "./cells/cellFailure.js";
import { CellPositions } from "./cells/cellPositions.js";
import { CellRunner } from "./cells/cellRunner.js";
import type { ControlThread } from "./control/controlThread.js";
import type { Converter } from "./converter/converter.js";
import { type Iopub, Output } from "./output.js";
import { Prompts, type SendInputRequest } from "./prompts.js";
import type { Content, Message } from "./protocol/wire.js";

interface SessionContext {
  readonly converter: Converter;
  readonly iopub: Iopub;
  readonly control: Pick<ControlThread, "running">;
  reply(request: Message, content: Content): void;
  readonly sendInputRequest: SendInputRequest;
}

/** The running notebook of a kernel. */
export type NotebookSession = ReturnType<typeof startSession>;

/** Enough stack frames to reach the cell from a failed search. */
const STACK_TRACE_LIMIT = 50;

/** Turns this process into a notebook: its standard streams, module resolution and uncaught errors now belong to the cells. */
export function startSession({ converter, iopub, reply, control, sendInputRequest }: SessionContext) {
  const output = new Output(iopub);
  const positions = new CellPositions();
  captureStandardStreams(
    (stream, text) => output.text(stream, positions.toCellPositions(withoutKernelFrames(text))),
    (text) => output.display(noteBundle(text)),
  );
  console.clear = () => output.publish("clear_output", { wait: false });
  // A cell may end the process.
  process.on("exit", () => output.flush());
  Error.stackTraceLimit = STACK_TRACE_LIMIT;
  const runner = new CellRunner(converter, output, positions, control);
  const prompts = new Prompts(sendInputRequest);
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
    const { silent, store_history, stop_on_error, language } = request.content;
    const code = String(request.content.code ?? "");
    if (silent !== true && store_history !== false) count += 1;
    const execution_count = count;
    output.parent = request.header;
    iopub.status("busy", request.header);
    if (silent !== true) output.publish("execute_input", { code, execution_count });
    prompts.begin(request);
    const failure = await runner.run(count, code, { silent: silent === true, isTyped: language !== "javascript" });
    prompts.end();
    if (failure === undefined) {
      reply(request, { status: "ok", execution_count, payload: [], user_expressions: {} });
    } else {
      const aborted = stop_on_error === false ? [] : queue.splice(0);
      reply(request, { status: "error", execution_count, ...failure });
      for (const each of aborted) {
        iopub.status("busy", each.header);
        reply(each, { status: "aborted", execution_count });
        iopub.status("idle", each.header);
      }
    }
    iopub.status("idle", request.header);
  }

  return { runner, prompts, execute };
}

type Callback = (error?: Error | null) => void;

/**
 * Redirects standard output, standard error and warnings to the notebook, and makes standard input throw: nobody could type anything,
 * and readers would wait forever.
 */
function captureStandardStreams(
  onText: (stream: "stdout" | "stderr", text: string) => void,
  onNote: (text: string) => void,
): void {
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder();
    const write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean => {
      onText(name, typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
      const call = typeof encoding === "function" ? encoding : callback;
      if (call !== undefined) process.nextTick(call);
      return true;
    };
    Object.assign(process[name], { write });
    // The kernel may inherit a terminal, but a notebook shows neither colors nor rewritten lines.
    Object.defineProperty(process[name], "isTTY", { value: false, configurable: true });
  }
  Object.defineProperty(process, "stdin", {
    get() {
      const instead = "Use secret of archive-frames/notebook: const key = await secret(…)";
      throw new Error(`A notebook has no standard input. ${instead}`);
    },
    configurable: true,
  });
  // Our warnings become notes; others are printed without the process id, so that every run of a notebook has the same output.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    // Caused by the kernel itself: how it imports modules, terminates code and sends output.
    if (/require\(\)|process\.binding\('async_wrap'\)|^Socket option will/.test(message)) return;
    if (name === WARNING) onNote(message);
    else process.stderr.write(escapedLines(`${name}: ${message}\n`));
  });
}
