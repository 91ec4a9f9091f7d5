import type { InputRequest, NotebookHost } from "../../call/notebookHost.js";
import type { OpenDisplay } from "../../notebook/display/mimeBundle.js";
import type { Converter } from "../converter/converter.js";
import { ExecuteQueue, type QueueContext } from "../executeQueue.js";
import { Output } from "../outputs/output.js";
import { captureStandardStreams } from "../outputs/standardStreams.js";
import { type PromptContext, Prompts, Secrets } from "../prompts.js";
import { resolveSharedPackages } from "../sharedPackages.js";
import { withoutKernelFrames } from "./cellFailure.js";
import { CellPositions } from "./cellPositions.js";
import { type CellHost, CellRunner } from "./cellRunner.js";
import { Evaluator } from "./evaluator.js";
import { UnhandledErrors, unhandledErrorText } from "./unhandledErrors.js";

/** What a session needs from the kernel. */
interface SessionContext extends Pick<QueueContext, "iopub" | "reply"> {
  readonly converter: Converter;
  /** Reports whether code of a cell is running. */
  readonly setRunning: (running: boolean) => void;
  /** Sends an `input_request` to the sender of a request, and returns its id. */
  readonly sendInputRequest: PromptContext["send"];
}

/** The running notebook of a kernel. */
export interface NotebookSession {
  readonly queue: ExecuteQueue;
  readonly runner: CellRunner;
  readonly prompts: Prompts;
  readonly secrets: Secrets;
}

/** Enough stack frames to reach the cell from a failed search. */
const STACK_TRACE_LIMIT = 50;

/** Turns this process into a notebook: its standard streams, module resolution and uncaught errors now belong to the cells. */
export function startSession(context: SessionContext): NotebookSession {
  const { converter, iopub, reply, setRunning, sendInputRequest } = context;
  const output = new Output(iopub);
  const positions = new CellPositions();
  captureStandardStreams((stream, text) => output.text(stream, positions.toCellPositions(withoutKernelFrames(text))));
  Error.stackTraceLimit = STACK_TRACE_LIMIT;
  resolveSharedPackages();
  const evaluator = new Evaluator(process.cwd());
  const unhandled = new UnhandledErrors((reason) => output.text("stderr", unhandledErrorText(reason, positions)));
  const runner = new CellRunner({ converter, evaluator, positions, output, unhandled, setRunning });
  const secrets = new Secrets();
  const prompts = new Prompts({ secrets, send: sendInputRequest });
  installNotebookHost(output, prompts, () => runner.host);
  const queue = new ExecuteQueue({ runner, output, prompts, iopub, reply });
  return { queue, runner, prompts, secrets };
}

/** What the kernel provides to the code that runs in it. */
interface KernelHost extends NotebookHost {
  /** Clears the output of the cell; with `wait`, only when the next output arrives. */
  clearOutput(wait?: boolean): void;
}

/**
 * Publishes the notebook host under a global symbol, so that a copy of this package that shares no module with the kernel
 * finds it too.
 *
 * @param cell returns the host of the running cell, or of the last one
 */
function installNotebookHost(output: Output, prompts: Prompts, cell: () => CellHost | undefined): void {
  const host: KernelHost = {
    get signal() {
      return cell()?.signal;
    },
    get progress() {
      return cell()?.progress;
    },
    display: output.display as OpenDisplay,
    clearOutput: output.clear,
    get input() {
      return prompts.isAvailable ? (request: InputRequest) => prompts.ask(request, cell()?.signal) : undefined;
    },
  };
  Object.defineProperty(globalThis, Symbol.for("archive-frames.host"), { value: host, configurable: true });
}
