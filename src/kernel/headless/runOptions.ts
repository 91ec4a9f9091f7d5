import { abortSignal, boolean, checkedOptions, positiveNumber } from "../../errors/validators.js";
import type { NotebookOutput } from "../../notebook/notebookFormat.js";
import type { KernelLaunchOptions } from "./kernelProcess.js";
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
