import { type Debugger, Session } from "node:inspector";

/**
 * Node keeps its own stack of callbacks and ends the process if terminated code leaves an entry on it. Handling an uncaught error
 * clears that stack; the capture callback hides the error from all listeners.
 */
const CLEAR_CALLBACK_STACK = `{
  const { process } = globalThis;
  const captured = process.hasUncaughtExceptionCaptureCallback();
  if (!captured) process.setUncaughtExceptionCaptureCallback(() => {});
  process._fatalException();
  if (!captured) process.setUncaughtExceptionCaptureCallback(null);
}`;

/** If an immediate is terminated, the immediates queued behind it would be lost and Node would spin waiting for them. */
const KEEP_IMMEDIATES = "outstandingQueue.head = immediate._destroyed ? immediate._idleNext : immediate";

/**
 * Terminates the code that the main thread is running; called from another thread. Pending awaits never continue, the code cannot
 * catch anything, and the main thread proceeds with its next event.
 *
 * @param isStuck whether that is still necessary once the code is paused: a native call may delay the pause
 */
export function stopCode(isStuck: () => boolean): void {
  const debug = new Session();
  debug.connectToMainThread();
  debug.once("Debugger.paused", ({ params }) => {
    if (isStuck()) terminate(debug, params.callFrames);
    debug.post("Debugger.resume");
    debug.post("Debugger.disable", () => debug.disconnect());
  });
  debug.post("Debugger.enable");
  debug.post("Debugger.pause");
}

/** Terminates the paused code, after the cleanup that Node itself does when an exception unwinds the stack. */
function terminate(debug: Session, frames: readonly Debugger.CallFrame[]): void {
  const evaluate = (frame: Debugger.CallFrame | undefined, expression: string) => {
    if (frame === undefined) return;
    debug.post("Debugger.evaluateOnCallFrame", { callFrameId: frame.callFrameId, expression, silent: true });
  };
  // Functions of Node itself have no URL here.
  const isImmediate = ({ functionName, url }: Debugger.CallFrame) => functionName === "processImmediate" && url === "";
  evaluate(frames.findLast(isImmediate), KEEP_IMMEDIATES);
  evaluate(frames[0], CLEAR_CALLBACK_STACK);
  debug.post("Runtime.terminateExecution");
}
