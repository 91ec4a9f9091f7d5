import type { Converter } from "../converter/converter.js";
import { ExecuteQueue, type QueueTools } from "../executeQueue.js";
import { offerNotebookHost } from "../offerNotebookHost.js";
import { Output } from "../outputs/output.js";
import { captureStandardStreams } from "../outputs/standardStreams.js";
import { CellPositions } from "./cellPositions.js";
import { CellRunner } from "./cellRunner.js";
import { Evaluator } from "./evaluator.js";
import { useOwnModules } from "./ownModules.js";
import { withoutKernel } from "./stackFrames.js";
import { lateText, Unhandled } from "./unhandled.js";

/** What a notebook needs of the kernel around it. */
export interface NotebookTools extends Pick<QueueTools, "iopub" | "reply"> {
  readonly converter: Converter;
  readonly preloading: boolean;
  readonly running: (running: boolean) => void;
}

/** The cells of one notebook. */
export interface Notebook {
  readonly queue: ExecuteQueue;
  readonly runner: CellRunner;
}

/** The stack of a failed search leads through more functions than V8 keeps, before it comes to the cell. */
const FRAMES = 50;

/** Makes this process the place where a notebook runs: its streams, its modules and its errors are the notebook's from now on. */
export function openNotebook({ converter, preloading, iopub, reply, running }: NotebookTools): Notebook {
  const output = new Output(iopub);
  const positions = new CellPositions();
  captureStandardStreams((stream, text) => output.text(stream, positions.map(withoutKernel(text))));
  Error.stackTraceLimit = FRAMES;
  useOwnModules();
  const evaluator = new Evaluator(process.cwd());
  const unhandled = new Unhandled((reason) => output.text("stderr", lateText(reason, positions)));
  const runner = new CellRunner({ converter, evaluator, positions, output, unhandled, preloading, running });
  offerNotebookHost(output, () => runner.host);
  return { queue: new ExecuteQueue({ runner, output, iopub, reply }), runner };
}
